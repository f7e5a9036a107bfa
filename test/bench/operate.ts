import { failover } from './failover.ts';
import { healing } from './healing.ts';
import { onScene } from './operate-scene.ts';
import { reaction, type ReactionOptions, SMALL_SPEC } from './reaction.ts';
import { ours, type Subject } from './subjects.ts';
import { environmentSpec } from './workload.ts';

/** How much is measured. What is 0 is left out. */
export interface OperateOptions extends ReactionOptions {
  /** Leaders that are killed. */
  readonly kills: number;
  /** Children that are deleted, each of another Environment. */
  readonly deletes: number;
}

/** Measures what whoever operates the service asks: how long a failover takes, a deleted child is missing, a change waits. */
export async function operate(
  subjects: readonly Subject[],
  options: OperateOptions,
  report: (result: object) => void,
): Promise<void> {
  const { kills, deletes, count } = options;
  if (subjects.includes(ours) && kills > 0) {
    await onScene(ours, { count: kills, spec: environmentSpec }, async (scene) => report(await failover(scene, kills)));
  }
  for (const subject of subjects) {
    if (deletes > 0) {
      await onScene(subject, { count: deletes, spec: environmentSpec }, async (scene) => {
        const healed = await healing(scene, deletes);
        report(healed);
        if (subject === ours && healed.unhealed > 0) throw new Error(`${healed.unhealed} children were not healed`);
      });
    }
    if (count > 0) {
      await onScene(subject, { count, spec: SMALL_SPEC }, async (scene) => report(await reaction(scene, options)));
    }
  }
}
