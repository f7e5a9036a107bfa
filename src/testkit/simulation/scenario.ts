import type { Manifest, StringMap } from '../../base/object.ts';
import type { ObjectKey, ResourceType } from '../../base/resource.ts';

/** Something that somebody other than the service does. */
export type Deed =
  /** A person applies an object; with `bypass` while the webhooks are not registered. */
  | { readonly type: 'apply'; readonly manifest: Manifest; readonly bypass: boolean }
  /** A person sets annotations; an empty text takes one off. */
  | {
      readonly type: 'annotate';
      readonly target: ResourceType;
      readonly key: ObjectKey;
      readonly annotations: StringMap;
    }
  /** A person deletes an object. */
  | { readonly type: 'delete'; readonly target: ResourceType; readonly key: ObjectKey }
  /** Another controller says something of an object in its status, under {@link FOREIGN_CONDITION}. */
  | { readonly type: 'report'; readonly target: ResourceType; readonly key: ObjectKey }
  /** Somebody meddles with a child of the service. `pick`, from 0 to 1, chooses among those there are then, and what is changed of it. */
  | { readonly type: 'meddle'; readonly pick: number; readonly how: Meddling }
  /**
   * Somebody changes just what a replica is about to write, at that moment; `path` is that of the request, and `pick`, from 0 to 1,
   * chooses what is changed.
   */
  | { readonly type: 'rival'; readonly path: string; readonly how: Rivalry; readonly pick: number }
  /** Vault loses what this service keeps in it, or somebody changes it. */
  | { readonly type: 'meddleVault'; readonly pick: number; readonly how: 'remove' | 'change' };

/**
 * What is done to a child; `hold` puts somebody's finalizer on it, which goes after a while. `disown` takes the labels that tell the owner
 * off all children there are, as `kubectl label --all` does.
 */
export type Meddling = 'delete' | 'change' | 'unlabel' | 'annotate' | 'hold' | 'disown';

/** What a rival does to an object: a child, or one of the service's own, of which `report` is another controller's word in the status. */
export type Rivalry = 'change' | 'annotate' | 'delete' | 'report';

/** Type of the condition that another controller writes. */
export const FOREIGN_CONDITION = 'Audited';

/** A deed and its moment. */
export type Act = Deed & { readonly atMs: number };

/** Which request of a replica, counted from 1 through all its lives; leases and watches are not counted. */
export interface NthRequest {
  readonly replica: number;
  readonly nth: number;
  /** The moment from which on requests are counted. @defaultValue the beginning */
  readonly sinceMs?: number;
  /** What the path of a request that is counted holds. @defaultValue anything */
  readonly about?: string;
}

/** A stretch of virtual time. */
export interface Stretch {
  readonly atMs: number;
  readonly forMs: number;
}

/** One thing that goes wrong. */
export type PlannedFault =
  /** The process dies before the request leaves it or right after it was carried out, and comes back. */
  | (NthRequest & { readonly type: 'crash'; readonly when: 'before' | 'after'; readonly downMs: number })
  /** It was carried out, and the answer is lost. */
  | (NthRequest & { readonly type: 'lostAnswer' })
  /** The connection breaks first. */
  | (NthRequest & { readonly type: 'unsent' })
  /** This request and the next ones, `times` in all, are refused. */
  | (NthRequest & {
      readonly type: 'refused';
      readonly code: 403 | 409 | 422 | 429 | 500 | 503;
      readonly times: number;
    })
  /** The request takes this long to arrive, be its sender still there or not. */
  | (NthRequest & { readonly type: 'slow'; readonly delayMs: number })
  /** The process stands still from the moment the request leaves it. */
  | (NthRequest & { readonly type: 'standstill'; readonly forMs: number })
  /**
   * Somebody else writes to the same object as the first write from this request on: before that arrives, or right after it was carried
   * out, while its answer is late. `pick`, from 0 to 1, chooses what is changed.
   */
  | (NthRequest & {
      readonly type: 'rival';
      readonly how: Rivalry;
      readonly pick: number;
      readonly when: 'before' | 'after';
    })
  /** The process is asked to stop at the moment the request leaves it. `delayMs` is how long that takes then. @defaultValue 0 */
  | (NthRequest & { readonly type: 'stopAt'; readonly downMs: number; readonly delayMs?: number })
  /** From the moment the request leaves the process its Leases can be neither read nor written for this long, and the request gets nowhere. */
  | (NthRequest & { readonly type: 'lostLease'; readonly forMs: number })
  /** The process is asked to stop, as in a rollout. */
  | { readonly type: 'stop'; readonly replica: number; readonly atMs: number; readonly downMs: number }
  /** The process stands still. */
  | (Stretch & { readonly type: 'pause'; readonly replica: number })
  /** What a replica hears of a resource (`plural`, `*` for all) comes this much later. */
  | (Stretch & { readonly type: 'lag'; readonly replica: number; readonly plural: string; readonly lagMs: number })
  /** Bookmarks do not come. */
  | (Stretch & { readonly type: 'noBookmarks'; readonly replica: number })
  /**
   * Every request of a replica about a resource (`plural`, `*` for all) is refused or, with `broken`, its connection breaks; Leases and
   * watches are excepted.
   */
  | (Stretch & {
      readonly type: 'outage';
      readonly replica: number;
      readonly plural: string;
      readonly code: 403 | 429 | 500 | 503 | 'broken';
    })
  /** The Leases of a replica can be neither read nor written; all else goes on. */
  | (Stretch & { readonly type: 'leaseOutage'; readonly replica: number })
  /**
   * A replica hears nothing of a resource (`plural`, `*` for all) and can open no watch of it; with `compact` what happened meanwhile is
   * then forgotten.
   */
  | (Stretch & { readonly type: 'blind'; readonly replica: number; readonly plural: string; readonly compact: boolean })
  /**
   * The API server of a replica is an older one whose cache lags: it knows no streaming lists, lists of any version show what was
   * `behind` writes ago, and watches tell of it `lagMs` late. `relistMs` after its begin every watch is too old.
   */
  | (Stretch & {
      readonly type: 'oldServer';
      readonly replica: number;
      readonly behind: number;
      readonly lagMs: number;
      readonly relistMs: number;
    })
  /** Nothing gets through between a replica and the API server, and then all at once. */
  | (Stretch & { readonly type: 'partition'; readonly replica: number })
  /** Every watch of a resource (`*` for all) ends; with `compact` what happened before is forgotten, so that it has to be listed anew. */
  | { readonly type: 'cutWatches'; readonly atMs: number; readonly plural: string; readonly compact: boolean }
  | (Stretch & { readonly type: 'webhooks'; readonly how: 'unreachable' | 'slow' | 'failing' })
  | (Stretch & { readonly type: 'vault'; readonly how: 'sealed' | 'unreachable' | 'slow' | 'limited' | 'denied' })
  /** Every so many requests to Vault lose their answer. */
  | (Stretch & { readonly type: 'vaultLosses'; readonly every: number });

/** What one replica reconciles: a flag of `homeostat run` and its value, or everything. */
export interface Share {
  readonly stage?: string;
  readonly 'stage-not'?: string;
  readonly shard?: string;
}

/** What people do, and what goes wrong meanwhile. */
export interface Plan {
  readonly acts: readonly Act[];
  readonly faults: readonly PlannedFault[];
}

/** All that is decided about a simulation before it begins. Together with the code it decides everything. */
export interface Scenario extends Plan {
  /** Of latencies, ties and jitter. */
  readonly seed: number;
  readonly replicas: number;
  /** How far the wall clock of each replica is ahead. */
  readonly skewsMs: readonly number[];
  /** What each replica reconciles. @defaultValue everything */
  readonly shares?: readonly Share[];
  /** Whether it begins in a cluster where all that the samples ask for is there already. @defaultValue false */
  readonly isSettled?: boolean;
  /** What follows when all is as it should be; its moments count from then. @defaultValue nothing */
  readonly sequel?: Plan;
}

/** The requests that follow an act are over within this time. */
const AFTER_ACT_MS = 3000;

/** A moment after which nobody acts and nothing goes wrong any more. */
export function calmFromMs({ acts, faults }: Plan): number {
  const ends = faults.map((fault) => {
    if (fault.type === 'lostLease') return (fault.sinceMs ?? 0) + fault.forMs + AFTER_ACT_MS;
    if (!('atMs' in fault)) return 0;
    return fault.atMs + ('forMs' in fault ? fault.forMs : 0) + ('lagMs' in fault ? fault.lagMs : 0);
  });
  return Math.max(0, ...acts.map(({ atMs }) => atMs), ...ends) + 1000;
}

/** The same plan, this much later. */
export function postponed({ acts, faults }: Plan, byMs: number): Plan {
  return {
    acts: acts.map((act) => ({ ...act, atMs: act.atMs + byMs })),
    faults: faults.map((fault) =>
      'atMs' in fault ? { ...fault, atMs: fault.atMs + byMs } : { ...fault, sinceMs: (fault.sinceMs ?? 0) + byMs },
    ),
  };
}

/** Where one instance does everything and another some of it, a restart decides anew who has that. */
export function mayChangeHands({ shares = [] }: Pick<Scenario, 'shares'>): boolean {
  return shares.some((share) => Object.keys(share).length === 0);
}
