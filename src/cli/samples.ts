import { sleep } from '../base/abort.ts';
import type { Clock } from '../base/clock.ts';
import type { KubeObject, Manifest } from '../base/object.ts';
import { formatRef, type ObjectKey, type ResourceType } from '../base/resource.ts';
import { isNotFound } from '../kube/api-error-predicates.ts';
import type { KubeClient } from '../kube/client.ts';
import type { Kind } from '../sdk/kind.ts';
import { conditionOf, conditionsOf } from '../status/conditions.ts';
import { kstatus } from '../status/kstatus.ts';
import { typeOf } from './apply-manifests.ts';

/** How often the state of the samples is asked for. */
const LOOK_EVERY_MS = 100;

/** One sample that reports a state. */
export interface Sample {
  readonly type: ResourceType;
  readonly key: ObjectKey;
  readonly text: string;
}

/** The samples whose kinds have steps: those that become Ready. */
export function samplesWithSteps(kinds: readonly Kind[]): readonly Sample[] {
  const types = kinds.filter((kind) => kind.pipeline !== undefined).map((kind) => kind.type);
  return allSamples(kinds)
    .filter((object) => types.some((type) => type.kind === object.kind))
    .map((object) => ({
      type: typeOf(object, types),
      key: object.metadata,
      text: formatRef({ kind: object.kind, ...object.metadata }),
    }));
}

/** All samples, cluster-scoped objects first, since the others refer to them. */
export function allSamples(kinds: readonly Kind[]): readonly Manifest[] {
  const objects = kinds.flatMap((kind) => kind.samples);
  return [...objects.filter(isClusterScoped), ...objects.filter((object) => !isClusterScoped(object))];
}

/** Waits until every sample is Ready, or until the signal fires; gives what is not Ready then, each in a sentence. */
export async function whenReady(
  client: KubeClient,
  samples: readonly Sample[],
  clock: Clock,
  signal: AbortSignal,
): Promise<readonly string[]> {
  let missing: readonly string[] = samples.map(({ text }) => `${text}: not seen yet`);
  try {
    for (;;) {
      const states = await Promise.all(samples.map((sample) => stateOf(client, sample, signal)));
      missing = states.filter((state) => state !== undefined);
      if (missing.length === 0) return [];
      await sleep(clock, LOOK_EVERY_MS, signal);
    }
  } catch (error) {
    if (signal.aborted) return missing;
    throw error;
  }
}

async function stateOf(
  client: KubeClient,
  { type, key, text }: Sample,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    const object = await client.get(type, key, { signal });
    return isReady(object) ? undefined : `${text}: ${describe(object)}`;
  } catch (error) {
    if (isNotFound(error)) return `${text}: not there`;
    throw error;
  }
}

function isReady(object: KubeObject): boolean {
  return conditionOf(conditionsOf(object), 'Ready')?.status === 'True' && kstatus(object) === 'Current';
}

function describe(object: KubeObject): string {
  const ready = conditionOf(conditionsOf(object), 'Ready');
  return ready === undefined
    ? 'has no Ready condition yet'
    : `Ready is ${ready.status}, ${ready.reason}: ${ready.message}`;
}

function isClusterScoped(object: Manifest): boolean {
  return object.metadata.namespace === undefined;
}
