import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '../support/eventually.ts';
import { answeredAfterMs } from './answers-in-time.ts';
import { isWriteOf, listQuotas, type OperateScene, SETTLE_LIMIT_MS, startConverged } from './operate-scene.ts';
import { type Quantiles, quantiles } from './quantiles.ts';

const DELETES_PER_SECOND = 10;

/** From the arrival of a delete to that of the write that makes the child anew, in milliseconds. */
export interface Healing extends Quantiles {
  readonly subject: string;
  readonly case: 'heal';
  readonly deleted: number;
  /** Children that were still missing when the time was up. */
  readonly unhealed: number;
}

/** Deletes one child each of `deletes` Environments. */
export async function healing(scene: OperateScene, deletes: number): Promise<Healing> {
  const { plane, subject } = scene;
  await startConverged(scene, deletes);
  const quotas = (await listQuotas(plane)).slice(0, deletes);
  for (const [index, { namespace, name }] of quotas.entries()) {
    const { code } = await plane.request('DELETE', `/api/v1/namespaces/${namespace}/resourcequotas/${name}`);
    if (code !== 200) throw new Error(`ResourceQuota ${namespace}/${name} was not deleted: ${code}`);
    if (index < quotas.length - 1) await delay(1000 / DELETES_PER_SECOND);
  }
  const unhealed = await missingInTheEnd(scene, deletes);
  const delays = answeredAfterMs(await plane.auditEntries({ resources: ['resourcequotas'] }), {
    asks: ({ verb }) => verb === 'delete',
    answers: isWriteOf(scene.user),
    subject: ({ objectRef }) => `${objectRef?.namespace}/${objectRef?.name}`,
  });
  return { subject: subject.name, case: 'heal', deleted: quotas.length, unhealed, ...quantiles(delays) };
}

/** A subject that leaves something out is measured all the same, and how much it left out is told. */
async function missingInTheEnd({ plane }: OperateScene, deletes: number): Promise<number> {
  let missing = deletes;
  const look = async (): Promise<boolean> => {
    missing = deletes - (await listQuotas(plane)).length;
    return missing <= 0;
  };
  await eventually('every deleted child to be back', look, { timeoutMs: SETTLE_LIMIT_MS }).catch((error: unknown) => {
    if (missing <= 0) throw error;
  });
  return Math.max(0, missing);
}
