import type { ControlPlane } from '../controlplane/start.ts';
import { environmentOf } from './dry-run-environment.ts';

/** One request that users send again and again. */
export interface UserRequest {
  readonly path: string;
  readonly body: object;
}

/** A dry run of a kind of ours, which waits for our webhooks. */
const ENVIRONMENT: UserRequest = {
  path: '/apis/homeostat.io/v1alpha1/namespaces/default/environments?dryRun=All',
  body: environmentOf({ serviceAccounts: [{ name: 'app' }] }),
};

/** A dry run of a Pod, which must never wait for anybody. */
export const POD: UserRequest = {
  path: '/api/v1/namespaces/default/pods?dryRun=All',
  body: { metadata: { name: 'load' }, spec: { containers: [{ name: 'a', image: 'a' }] } },
};

/** Requests without an answer at a time; beyond that the API server itself is the queue. */
const MAX_OPEN = 32;

/** Requests of users through the API server, at a constant rate until they are stopped. */
export class UserLoad {
  readonly #plane: ControlPlane;
  readonly #requests: readonly UserRequest[];
  readonly #failures: string[] = [];
  readonly #open = new Set<Promise<void>>();
  readonly #timer: NodeJS.Timeout;
  readonly #startMs = performance.now();
  #sent = 0;
  #answered = 0;
  #paused = false;

  private constructor(plane: ControlPlane, perSecond: number, requests: readonly UserRequest[]) {
    this.#plane = plane;
    this.#requests = requests;
    this.#timer = setInterval(() => this.#sendNext(), 1000 / perSecond);
  }

  /** Begins to send these requests in turn. */
  static start(plane: ControlPlane, perSecond: number, requests = [ENVIRONMENT, POD]): UserLoad {
    return new UserLoad(plane, perSecond, requests);
  }

  /** Requests that were granted. */
  get answered(): number {
    return this.#answered;
  }

  /** Each request that was not, with its second and its answer. */
  get failures(): readonly string[] {
    return this.#failures;
  }

  /** Does something while no request is under way, and goes on. */
  async between(act: () => Promise<void>): Promise<void> {
    this.#paused = true;
    await Promise.all(this.#open);
    try {
      await act();
    } finally {
      this.#paused = false;
    }
  }

  /** Sends nothing more and waits for the answers. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#open);
  }

  #sendNext(): void {
    const request = this.#requests[this.#sent % this.#requests.length];
    if (this.#paused || this.#open.size >= MAX_OPEN || request === undefined) return;
    this.#sent++;
    const second = ((performance.now() - this.#startMs) / 1000).toFixed(1);
    const one: Promise<void> = this.#send(request)
      .catch((error: unknown) => void this.#failures.push(`second ${second}: ${String(error)}`))
      .finally(() => this.#open.delete(one));
    this.#open.add(one);
  }

  async #send({ path, body }: UserRequest): Promise<void> {
    const { code, body: answer } = await this.#plane.request('POST', path, body);
    if (code !== 201) throw new Error(`${path}: ${code} ${JSON.stringify(answer)}`);
    this.#answered++;
  }
}
