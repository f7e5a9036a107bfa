import type { TransportRequest } from '../../kube/transport.ts';
import type { Passage, PlannedRival } from './network.ts';
import type { NthRequest, PlannedFault, Stretch } from './scenario.ts';

/** Where a request of a replica goes wrong: the part of a fault plan that the network carries out. */
export class FaultGate {
  #faults: readonly PlannedFault[];
  readonly #now: () => number;
  readonly #revision: () => number;
  /** Requests so far that each fault counts. */
  readonly #counted = new Map<PlannedFault, number>();
  /** Those that strike a request, when they have. */
  readonly #struck = new Set<PlannedFault>();
  /** Until when the Leases of a replica can be neither read nor written since a request has left it. */
  readonly #leaseless = new Map<number, number>();
  #calm = false;

  /** `revision` is that of the newest write. */
  constructor(faults: readonly PlannedFault[], now: () => number, revision: () => number) {
    this.#faults = faults;
    this.#now = now;
    this.#revision = revision;
  }

  /** From now on nothing goes wrong. */
  calm(): void {
    this.#calm = true;
  }

  /** From now on other things go wrong than before. */
  plan(faults: readonly PlannedFault[]): void {
    this.#faults = faults;
    this.#calm = false;
  }

  /** Whether things may go wrong that no plan names. */
  get isRough(): boolean {
    return !this.#calm && this.#faults.length > 0;
  }

  /** What has gone wrong of the present plan: of what waits for a request that whose request came. */
  get struck(): readonly PlannedFault[] {
    return this.#faults.filter((fault) => !('nth' in fault) || this.#struck.has(fault));
  }

  /** What becomes of the next request of a replica. */
  passage(replica: number, request: TransportRequest): Passage {
    if (this.#calm) return CARRIED;
    if (this.#isCut(replica, request)) return { type: 'unsent' };
    const old = this.#fromOldServer(replica, request);
    if (old !== undefined) return old;
    const planned = request.lane === 'request' ? this.#planned(replica, request) : undefined;
    if (planned !== undefined) return planned;
    const heldMs = this.heldMs(replica);
    return heldMs === 0 ? CARRIED : { type: 'carried', delayMs: heldMs };
  }

  /** How long what is sent to or from a replica is held up by a partition. */
  heldMs(replica: number): number {
    return this.#open('partition', ({ replica: of }) => of === replica).reduce((most, fault) => {
      return Math.max(most, fault.atMs + fault.forMs - this.#now());
    }, 0);
  }

  /** How much later a replica hears of a resource. */
  lagMs(replica: number, path: string): number {
    const late = this.#open('lag', (fault) => {
      return fault.replica === replica && (fault.plural === '*' || isAbout(path, fault.plural));
    });
    const old = this.#open('oldServer', (fault) => fault.replica === replica);
    return Math.max(this.heldMs(replica), ...[...late, ...old].map(({ lagMs }) => lagMs));
  }

  /** Whether a replica gets no bookmarks. */
  withholdsBookmarks(replica: number): boolean {
    return this.#open('noBookmarks', (fault) => fault.replica === replica).length > 0;
  }

  /** How webhooks fail now, if they do. */
  get webhooks(): 'unreachable' | 'slow' | 'failing' | undefined {
    return this.#open('webhooks')[0]?.how;
  }

  /** How Vault fails now, if it does. */
  get vault(): 'sealed' | 'unreachable' | 'slow' | 'limited' | 'denied' | undefined {
    return this.#open('vault')[0]?.how;
  }

  /** Every so many requests to Vault lose their answer; 0 where none does. */
  get vaultLosesEvery(): number {
    return this.#open('vaultLosses')[0]?.every ?? 0;
  }

  /** Whether a replica can reach the API server with all but this. */
  #isCut(replica: number, { method, path }: TransportRequest): boolean {
    if (path.includes('/leases/')) {
      const isLeaseless = this.#now() < (this.#leaseless.get(replica) ?? 0);
      return isLeaseless || this.#open('leaseOutage', ({ replica: of }) => of === replica).length > 0;
    }
    if (method !== 'GET') return false;
    return (
      this.#open('blind', ({ replica: of, plural }) => {
        return of === replica && (plural === '*' ? path.includes('?') : isAbout(path, plural.split('.')[0] ?? ''));
      }).length > 0
    );
  }

  /** What an older API server answers to what it does not know, and to a list of any version. */
  #fromOldServer(replica: number, { method, path }: TransportRequest): Passage | undefined {
    if (method !== 'GET' || !path.includes('?')) return undefined;
    const [old] = this.#open('oldServer', (fault) => fault.replica === replica);
    if (old === undefined) return undefined;
    if (path.includes('sendInitialEvents=true')) return { type: 'refused', code: 422, ...REFUSALS[422] };
    if (!/[?&]resourceVersion=0(?:&|$)/u.test(path)) return undefined;
    const version = Math.max(1, this.#revision() - old.behind);
    const exactly = `resourceVersion=${version}&resourceVersionMatch=Exact`;
    return { type: 'diverted', path: path.replace('resourceVersion=0', exactly) };
  }

  /** What the plan has for a request that is neither of a Lease nor of a watch. */
  #planned(replica: number, { method, path }: TransportRequest): Passage | undefined {
    const counting = this.#faults.filter(
      (fault): fault is CountingFault =>
        'nth' in fault &&
        fault.replica === replica &&
        (fault.sinceMs ?? 0) <= this.#now() &&
        path.includes(fault.about ?? ''),
    );
    for (const fault of counting) this.#counted.set(fault, this.#countOf(fault) + 1);
    const hit = counting.find((fault): fault is RequestFault => fault.type !== 'rival' && this.#hits(fault));
    if (hit?.type === 'lostLease') this.#leaseless.set(replica, this.#now() + hit.forMs);
    if (hit !== undefined) {
      this.#struck.add(hit);
      return passageOf(hit);
    }
    const rival = ALTERING.has(method) ? this.#rival(counting, path) : undefined;
    if (rival !== undefined) return { type: 'carried', rival };
    const [outage] = this.#open('outage', ({ replica: of, plural }) => {
      return of === replica && (plural === '*' || isBelow(path, plural));
    });
    if (outage === undefined) return undefined;
    if (outage.code === 'broken') return { type: 'unsent' };
    // Without a word about when to come back.
    return { type: 'refused', code: outage.code, reason: REFUSALS[outage.code].reason };
  }

  /** What a rival does to the object of this write; each comes once. */
  #rival(counting: readonly CountingFault[], path: string): PlannedRival | undefined {
    const rival = counting.find(
      (fault): fault is RivalFault =>
        fault.type === 'rival' &&
        fault.nth <= this.#countOf(fault) &&
        // Only who writes a status meets another who does.
        (fault.how !== 'report' || path.includes('/status')) &&
        !this.#struck.has(fault),
    );
    if (rival !== undefined) this.#struck.add(rival);
    return rival;
  }

  #hits(fault: RequestFault): boolean {
    const count = this.#countOf(fault);
    return count >= fault.nth && count < fault.nth + (fault.type === 'refused' ? fault.times : 1);
  }

  #countOf(fault: PlannedFault): number {
    return this.#counted.get(fault) ?? 0;
  }

  #open<Type extends PlannedFault['type']>(
    type: Type,
    concerns: (fault: Extract<PlannedFault, { type: Type } & Stretch>) => boolean = () => true,
  ): readonly Extract<PlannedFault, { type: Type } & Stretch>[] {
    if (this.#calm) return [];
    const now = this.#now();
    return this.#faults
      .filter((fault): fault is Extract<PlannedFault, { type: Type } & Stretch> => fault.type === type)
      .filter((fault) => fault.atMs <= now && now < fault.atMs + fault.forMs && concerns(fault));
  }
}

/** Methods of requests that name an object and change it. */
const ALTERING: ReadonlySet<string> = new Set(['PATCH', 'PUT', 'DELETE']);

/** Whether a path is that of a whole resource. */
function isAbout(path: string, plural: string): boolean {
  return path.includes(`/${plural}?`);
}

/** Whether a path is that of an object of a resource, of one of its subresources, or of all of them. */
function isBelow(path: string, plural: string): boolean {
  return new RegExp(`/${plural}($|[/?])`, 'u').test(path);
}

const CARRIED: Passage = { type: 'carried' };

type CountingFault = Extract<PlannedFault, NthRequest>;
type RivalFault = Extract<CountingFault, { readonly type: 'rival' }>;
type RequestFault = Exclude<CountingFault, RivalFault>;

function passageOf(fault: RequestFault): Passage {
  switch (fault.type) {
    case 'crash':
      return { type: fault.when === 'before' ? 'crashBefore' : 'crashAfter', downMs: fault.downMs };
    case 'refused':
      return { type: 'refused', code: fault.code, ...REFUSALS[fault.code] };
    case 'slow':
      return { type: 'carried', delayMs: fault.delayMs };
    case 'standstill':
      return { type: 'standstill', forMs: fault.forMs };
    case 'stopAt':
      return { type: 'stopAt', downMs: fault.downMs, delayMs: fault.delayMs ?? 0 };
    case 'lostLease':
      return { type: 'unsent', delayMs: fault.forMs };
    case 'lostAnswer':
    case 'unsent':
      return { type: fault.type };
  }
}

const REFUSALS = {
  403: { reason: 'Forbidden' },
  409: { reason: 'Conflict' },
  422: { reason: 'Invalid' },
  429: { reason: 'TooManyRequests', retryAfterSeconds: 1 },
  500: { reason: 'InternalError' },
  503: { reason: 'ServiceUnavailable' },
} as const;
