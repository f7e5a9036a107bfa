import type { Chance } from './chance.ts';
import type { PlannedFault } from './scenario.ts';

/** What is drawn from. */
export interface OldServerScope {
  readonly chance: Chance;
  readonly replicas: number;
  /** When people act, in order. */
  readonly actsMs: readonly number[];
}

/** In so many scenarios there is one. */
const RARITY = 12;

/**
 * Draws a replica that is restarted and then served by an older API server, whose cache may lag: what it lists is a state that it
 * has left behind already.
 */
export function drawOldServer({ chance, replicas, actsMs }: OldServerScope): readonly PlannedFault[] {
  if (!chance.happens(1 / RARITY)) return [];
  const replica = chance.between(0, replicas - 1);
  const forMs = chance.oneOf([3000, 12_000, 20_000]) ?? 12_000;
  const atMs = (chance.oneOf(actsMs) ?? 0) + chance.between(0, 300);
  return [
    {
      type: 'oldServer',
      replica,
      atMs,
      forMs,
      behind: chance.between(0, 25),
      lagMs: chance.oneOf([0, 500, 3000]) ?? 0,
      relistMs: chance.between(0, forMs),
    },
    { type: 'stop', replica, atMs, downMs: chance.between(50, 2000) },
  ];
}
