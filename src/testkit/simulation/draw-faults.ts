import type { Chance } from './chance.ts';
import type { NthRequest, PlannedFault, Stretch } from './scenario.ts';

/** What a fault plan depends on. */
export interface FaultScope {
  readonly chance: Chance;
  readonly replicas: number;
  /** When people act, in order. */
  readonly actsMs: readonly number[];
  /** Plurals of the resources that are watched. */
  readonly plurals: readonly string[];
  /** Whether the kinds keep something outside the cluster. */
  readonly hasVault: boolean;
  /** Whether all is there already: one or two things go wrong then, while what somebody does is answered. @defaultValue false */
  readonly isAtRest?: boolean;
}

/** Faults that are drawn, and how often. */
const WEIGHTS = {
  crash: 6,
  standstill: 3,
  rival: 8,
  lostAnswer: 4,
  unsent: 2,
  refused: 4,
  slow: 3,
  stop: 2,
  stopAt: 2,
  pause: 2,
  lag: 5,
  noBookmarks: 1,
  leaseOutage: 4,
  blind: 8,
  partition: 2,
  outage: 6,
  cutWatches: 4,
  webhooks: 2,
} as const;

const VAULT_WEIGHTS = { ...WEIGHTS, vault: 6, vaultLosses: 3 } as const;

/** Requests of a first convergence are in this range, and of what follows one act; later ones fall anywhere. */
const LATEST_REQUEST = 60;
const LATEST_AFTER_ACT = 20;

/** The same of what follows an act where all is there already. */
const LATEST_AT_REST = 8;

/** Draws what goes wrong: nothing in one plan of eight, else up to nine things; few of them in as many plans as many. */
export function drawFaults(scope: FaultScope): readonly PlannedFault[] {
  return Array.from({ length: drawLength(scope) }, () => drawFault(scope)).flatMap((fault) => [
    fault,
    ...sequelsOf(fault, scope.chance),
  ]);
}

function drawLength({ chance, isAtRest = false }: FaultScope): number {
  if (isAtRest) return chance.between(1, 2);
  return chance.happens(1 / 8) ? 0 : chance.between(1, chance.happens(0.5) ? 2 : 9);
}

function drawFault(scope: FaultScope): PlannedFault {
  const { chance } = scope;
  const type = scope.hasVault ? chance.weighted(VAULT_WEIGHTS) : chance.weighted(WEIGHTS);
  const replica = chance.between(0, scope.replicas - 1);
  const request = { replica, ...drawRequest(scope) };
  const at = stretch(scope);
  switch (type) {
    case 'crash':
    case 'standstill':
    case 'rival':
    case 'lostAnswer':
    case 'unsent':
    case 'refused':
    case 'slow':
    case 'stopAt':
      return requestFault(type, request, chance);
    case 'stop':
      return { type, replica, atMs: at.atMs, downMs: chance.between(100, 5000) };
    case 'pause':
    case 'noBookmarks':
    case 'partition':
      return { type, replica, ...at };
    case 'leaseOutage':
      return { type, replica, atMs: at.atMs, forMs: chance.oneOf([8000, 20_000, 30_000]) ?? 20_000 };
    case 'blind':
      return { type, replica, ...at, plural: groupOf(scope), compact: chance.happens(0.5) };
    case 'outage':
      return {
        type,
        replica,
        ...at,
        plural: pluralOf(scope),
        code: chance.oneOf([403, 429, 500, 503, 'broken'] as const) ?? 500,
      };
    case 'lag':
      return { type, replica, ...at, plural: pluralOf(scope), lagMs: chance.oneOf([50, 500, 3000, 12_000]) ?? 50 };
    case 'cutWatches':
      return {
        type,
        atMs: at.atMs,
        plural: groupOf(scope),
        compact: chance.happens(0.5),
      };
    case 'webhooks':
      return { type, ...at, how: chance.oneOf(['unreachable', 'slow', 'failing'] as const) ?? 'failing' };
    case 'vault':
      return {
        type,
        ...at,
        how: chance.oneOf(['sealed', 'unreachable', 'slow', 'limited', 'denied'] as const) ?? 'sealed',
      };
    case 'vaultLosses':
      return { type, ...at, every: chance.between(2, 4) };
  }
}

/** Faults that strike one request and those after it. */
type RequestFaultType = Exclude<Extract<PlannedFault, NthRequest>['type'], 'lostLease'>;

function requestFault(type: RequestFaultType, request: NthRequest, chance: Chance): PlannedFault {
  switch (type) {
    case 'crash': {
      const when = chance.happens(0.5) ? 'before' : 'after';
      return { type, ...request, when, downMs: chance.oneOf([100, 1000, 20_000]) ?? 100 };
    }
    case 'standstill':
      return { type, ...request, forMs: chance.oneOf([3000, 12_000, 20_000]) ?? 20_000 };
    case 'rival': {
      const how = chance.oneOf(['change', 'annotate', 'delete', 'report'] as const) ?? 'change';
      const pick = chance.fraction();
      return { type, ...request, how, pick, when: how === 'report' || chance.happens(0.5) ? 'before' : 'after' };
    }
    case 'stopAt':
      return { type, ...request, downMs: chance.between(100, 5000) };
    case 'lostAnswer':
    case 'unsent':
      return { type, ...request };
    case 'refused':
      return {
        type,
        ...request,
        code: chance.oneOf([403, 409, 422, 422, 429, 500, 503] as const) ?? 500,
        times: chance.between(1, 6),
      };
    case 'slow':
      return { type, ...request, delayMs: chance.oneOf([500, 9000, 16_000, 40_000]) ?? 500 };
  }
}

/** Watches that end do so again and again. */
function sequelsOf(fault: PlannedFault, chance: Chance): readonly PlannedFault[] {
  if (fault.type !== 'cutWatches' || chance.happens(0.5)) return [];
  return [{ ...fault, atMs: fault.atMs + 2000, compact: chance.happens(0.3) }];
}

/** Any request of all, or one of those that follow an act. */
function drawRequest({ chance, actsMs, isAtRest = false }: FaultScope): Pick<NthRequest, 'nth' | 'sinceMs'> {
  if (isAtRest) return { nth: chance.between(1, LATEST_AT_REST), sinceMs: chance.oneOf(actsMs) ?? 0 };
  const sinceMs = chance.happens(0.5) ? chance.oneOf(actsMs) : undefined;
  if (sinceMs === undefined) return { nth: chance.between(1, LATEST_REQUEST) };
  return { nth: chance.between(1, LATEST_AFTER_ACT), sinceMs };
}

/** Begins at any moment, or just before somebody acts. */
function stretch({ chance, actsMs }: FaultScope): Stretch {
  const actMs = chance.happens(0.5) ? chance.oneOf(actsMs) : undefined;
  const atMs = actMs === undefined ? chance.between(0, actsMs.at(-1) ?? 0) : Math.max(0, actMs - chance.between(0, 50));
  return { atMs, forMs: chance.oneOf([500, 3000, 8000, 12_000, 20_000]) ?? 500 };
}

/** The name `plural.group` of a resource, or all of them. */
function groupOf({ chance, plurals }: FaultScope): string {
  return chance.happens(0.4) ? '*' : (chance.oneOf(plurals) ?? '*');
}

/** The plural of a resource name `plural.group`, or all of them. */
function pluralOf({ chance, plurals }: FaultScope): string {
  return chance.happens(0.3) ? '*' : (chance.oneOf(plurals)?.split('.')[0] ?? '*');
}
