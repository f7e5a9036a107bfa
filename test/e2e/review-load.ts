import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { ControlPlane } from '../controlplane/start.ts';
import type { CertificateScene } from './certificate-scene.ts';
import { dryRunEnvironments, environmentOf } from './dry-run-environment.ts';
import { type DialResult, FreshDials } from './fresh-dials.ts';

/** What a load gave. */
interface LoadResult {
  /** Reviews that the API server had answered, as it counts them itself. */
  readonly reviews: number;
  /** Creations that were not answered with 201, each with its second and its answer. */
  readonly failures: readonly string[];
  readonly seconds: number;
  readonly dials: DialResult;
}

/** The rate that is asserted. A slower machine may be spared: `HOMEOSTAT_REVIEWS=40`. */
const REVIEWS_PER_SECOND = Number(process.env['HOMEOSTAT_REVIEWS'] ?? 200);

/** Each creation is one mutating and one validating review; a tenth more than asserted is sent. */
const CREATIONS_PER_SECOND = (REVIEWS_PER_SECOND / 2) * 1.1;

/** Creations without an answer at a time; beyond that the API server itself is the queue, and the rate that is reported says so. */
const MAX_OPEN = 64;

/**
 * Dry-run creations through the API server at a constant rate, whoever answers late, and fresh handshakes beside them, until they are
 * stopped.
 */
export class ReviewLoad {
  readonly #scene: CertificateScene;
  readonly #test: TestContext;
  readonly #dials: FreshDials;
  readonly #failures: string[] = [];
  readonly #open = new Set<Promise<void>>();
  readonly #startMs = performance.now();
  readonly #timer: NodeJS.Timeout;
  readonly #reviewsBefore: number;
  #sent = 0;

  private constructor(scene: CertificateScene, t: TestContext, reviewsBefore: number) {
    this.#scene = scene;
    this.#test = t;
    this.#reviewsBefore = reviewsBefore;
    this.#dials = new FreshDials(scene);
    this.#timer = setInterval(() => this.#sendDue(), 5);
  }

  /** Begins to send; stops with the test at the latest. */
  static async start(scene: CertificateScene, t: TestContext): Promise<ReviewLoad> {
    const load = new ReviewLoad(scene, t, await answeredReviews(scene.plane));
    t.after(() => load.#stop());
    return load;
  }

  /**
   * Sends nothing more, waits for the answers, reports the figures, and fails when a review or a handshake failed, when the rate was
   * not reached, or when fewer than `certificates` different ones were met.
   */
  async finish(certificates: number): Promise<void> {
    const { reviews, failures, seconds, dials } = await this.#stop();
    const rate = reviews / seconds;
    this.#test.diagnostic(
      `${reviews} reviews in ${seconds.toFixed(0)} s (${rate.toFixed(0)}/s), ${failures.length} creations failed; ` +
        `${dials.count} handshakes with ${dials.certificates} certificates, ${dials.failures.length} failed`,
    );
    const failed = [...failures.slice(0, 5), ...dials.failures.slice(0, 5)];
    assert.deepEqual(failed, [], failed.length === 0 ? '' : `${failed.join('\n')}\n${await this.#scene.describe()}`);
    assert.ok(dials.certificates >= certificates, `Only ${dials.certificates} certificates were met`);
    const wanted = `not the ${REVIEWS_PER_SECOND} of HOMEOSTAT_REVIEWS`;
    assert.ok(rate >= REVIEWS_PER_SECOND, `Only ${rate.toFixed(0)} reviews a second were answered, ${wanted}`);
  }

  async #stop(): Promise<LoadResult> {
    clearInterval(this.#timer);
    const dials = await this.#dials.finish();
    await Promise.all(this.#open);
    const seconds = this.#seconds();
    const reviews = (await answeredReviews(this.#scene.plane)) - this.#reviewsBefore;
    return { reviews, failures: this.#failures, seconds, dials };
  }

  #seconds(): number {
    return (performance.now() - this.#startMs) / 1000;
  }

  #sendDue(): void {
    const due = Math.floor(this.#seconds() * CREATIONS_PER_SECOND);
    for (; this.#sent < due && this.#open.size < MAX_OPEN; this.#sent++) {
      const one: Promise<void> = this.#send()
        .catch((error: unknown) => this.#fail(String(error)))
        .finally(() => this.#open.delete(one));
      this.#open.add(one);
    }
  }

  async #send(): Promise<void> {
    const { code, body } = await this.#scene.plane.request('POST', dryRunEnvironments, environmentOf({}));
    if (code !== 201) this.#fail(`${code} ${JSON.stringify(body)}`);
  }

  #fail(what: string): void {
    this.#failures.push(`second ${this.#seconds().toFixed(1)}: ${what}`);
  }
}

/** How many calls of our webhooks the API server has had an answer to. */
async function answeredReviews(plane: ControlPlane): Promise<number> {
  const { body } = await plane.request('GET', '/metrics');
  const samples = String(body).matchAll(
    /^apiserver_admission_webhook_request_total\{code="200",name="[^"]*\.homeostat\.io"[^}]*\} (\S+)$/gm,
  );
  return [...samples].reduce((sum, [, value]) => sum + Number(value), 0);
}
