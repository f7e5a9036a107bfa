import type { Condition, Unstructured } from '../../src/base/object.ts';
import type { ResourceType } from '../../src/base/resource.ts';
import type { KubeClient } from '../../src/kube/client.ts';
import { conditionsOf } from '../../src/status/conditions.ts';
import { WIDGETS } from '../support/widget-slice.ts';

type Draft = Pick<Condition, 'type' | 'status' | 'reason'>;

/**
 * The counter-example: read the object from the cache, set one condition, patch the whole list, and skip the patch where the cache
 * already shows it. What any small controller does first.
 */
export async function naiveStatusPatch(
  client: KubeClient,
  cached: Unstructured,
  draft: Draft,
  type: ResourceType = WIDGETS,
): Promise<void> {
  const stored = conditionsOf(cached);
  const before = stored.find((one) => one.type === draft.type);
  if (before?.status === draft.status && before.reason === draft.reason) return;
  const condition = { ...draft, message: '', lastTransitionTime: '2026-01-01T00:00:00Z' };
  const conditions = [...stored.filter((one) => one.type !== draft.type), condition].map((one) => ({ ...one }));
  const key = { namespace: cached.metadata.namespace ?? '', name: cached.metadata.name };
  const options = { signal: new AbortController().signal, subresource: 'status' } as const;
  await client.patch(type, key, { type: 'merge', body: { status: { conditions } } }, options);
}
