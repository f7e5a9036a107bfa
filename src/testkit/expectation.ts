import { jsonEqual } from '../base/json.ts';
import type { Outcome } from '../base/outcome.ts';
import { conditionOf, conditionsOf, statusOf } from '../status/conditions.ts';
import { isWrite } from './intercepted-client.ts';
import { describeRequest } from './kind-runner.ts';
import type { Expectation } from './row.ts';
import type { Scene } from './scene.ts';

/** What is not as the row expects, each in a sentence; empty when all is. */
export async function unmetExpectations(expect: Expectation, scene: Scene, last: Outcome): Promise<readonly string[]> {
  const object = await scene.object();
  const conditions = object === undefined ? [] : conditionsOf(object);
  const state = (type: string): string => {
    const found = conditionOf(conditions, type);
    return found === undefined ? 'absent' : `${found.status}/${found.reason}`;
  };
  const status = (object === undefined ? undefined : statusOf(object)) ?? {};
  const { runner } = scene;
  const rows: readonly (readonly [string, unknown, () => unknown])[] = [
    ['Ready', expect.ready, () => state('Ready')],
    ...Object.entries(expect.conditions ?? {}).map(
      ([type, wanted]) => [`condition ${type}`, wanted, () => state(type)] as const,
    ),
    ['requests', expect.requests, () => runner.requests.filter(isWrite).map(describeRequest)],
    ['events', expect.events, () => runner.events.events.map(({ reason }) => reason)],
    ['children', expect.children?.toSorted(), () => children],
    ...Object.entries(expect.status ?? {}).map(
      ([member, wanted]) => [`status.${member}`, wanted, () => status[member]] as const,
    ),
    ['wake', expect.wake, () => wakeOf(last)],
  ];
  const children = await scene.children();
  return rows.flatMap(([what, wanted, have]) => {
    if (wanted === undefined) return [];
    const found = have();
    return jsonEqual(found, wanted) ? [] : [`${what}: expected ${shown(wanted)}, found ${shown(found)}`];
  });
}

/** When an outcome has the object looked at again. */
export function wakeOf(outcome: Outcome): Expectation['wake'] | 'retry' {
  switch (outcome.type) {
    case 'transient':
    case 'terminal':
      // The queue backs off, and tries a terminal outcome every ten minutes.
      return 'retry';
    case 'done':
    case 'noop':
    case 'waiting':
      return outcome.requeueAfterMs === undefined ? 'event' : { afterMs: outcome.requeueAfterMs };
  }
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
