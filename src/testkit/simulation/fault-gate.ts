import type { TransportRequest } from '../../kube/transport.ts';
import type { Passage } from './network.ts';
import type { PlannedFault, Stretch } from './scenario.ts';

/** Where a request of a replica goes wrong: the part of a fault plan that the network carries out. */
export class FaultGate {
  readonly #faults: readonly PlannedFault[];
  readonly #now: () => number;
  readonly #sent = new Map<number, number>();
  #calm = false;

  constructor(faults: readonly PlannedFault[], now: () => number) {
    this.#faults = faults;
    this.#now = now;
  }

  /** From now on nothing goes wrong. */
  calm(): void {
    this.#calm = true;
  }

  /** Whether things may go wrong that no plan names. */
  get isRough(): boolean {
    return !this.#calm && this.#faults.length > 0;
  }

  /** What becomes of the next request of a replica. */
  passage(replica: number, request: TransportRequest): Passage {
    if (this.#calm) return CARRIED;
    const nth = request.lane === 'request' ? this.#count(replica) : 0;
    const planned = this.#faults.find((fault) => isHit(fault, replica, nth));
    if (planned !== undefined) return passageOf(planned);
    const [outage] = nth === 0 ? [] : this.#open('outage', ({ replica: of }) => of === replica);
    // Without a word about when to come back.
    if (outage !== undefined) return { type: 'refused', code: outage.code, reason: REFUSALS[outage.code].reason };
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
      return fault.replica === replica && (fault.plural === '*' || path.includes(`/${fault.plural}?`));
    });
    return Math.max(this.heldMs(replica), ...late.map(({ lagMs }) => lagMs));
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

  #count(replica: number): number {
    const nth = (this.#sent.get(replica) ?? 0) + 1;
    this.#sent.set(replica, nth);
    return nth;
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

const CARRIED: Passage = { type: 'carried' };

type RequestFault = Extract<PlannedFault, { readonly nth: number }>;

function isHit(fault: PlannedFault, replica: number, nth: number): fault is RequestFault {
  if (!('nth' in fault) || fault.replica !== replica) return false;
  return nth >= fault.nth && nth < fault.nth + (fault.type === 'refused' ? fault.times : 1);
}

function passageOf(fault: RequestFault): Passage {
  switch (fault.type) {
    case 'crash':
      return { type: fault.when === 'before' ? 'crashBefore' : 'crashAfter', downMs: fault.downMs };
    case 'refused':
      return { type: 'refused', code: fault.code, ...REFUSALS[fault.code] };
    case 'slow':
      return { type: 'carried', delayMs: fault.delayMs };
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
