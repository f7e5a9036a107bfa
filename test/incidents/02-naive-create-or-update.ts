import type { Manifest, Unstructured } from '../../src/base/object.ts';
import { jsonEqual } from '../../src/base/json.ts';
import type { KubeClient } from '../../src/kube/client.ts';
import { CONFIG_MAPS } from '../support/engine-harness.ts';

/**
 * The counter-example: create or update through a mutate function, and return early when something was written, in the hope of a
 * later pass in which nothing is.
 *
 * @returns whether readiness was looked at
 */
export async function naiveReconcile(
  client: KubeClient,
  mutate: (map: Manifest | Unstructured) => Manifest,
  checkReadiness: () => void,
): Promise<'Updated' | 'Ready'> {
  const signal = new AbortController().signal;
  const before = await client.get(CONFIG_MAPS, { namespace: 'team-a', name: 'a' }, { signal });
  const wanted = mutate(before);
  if (!jsonEqual(before.metadata.annotations, wanted.metadata.annotations)) {
    const body = { metadata: { annotations: { ...wanted.metadata.annotations } } };
    await client.patch(CONFIG_MAPS, { namespace: 'team-a', name: 'a' }, { type: 'merge', body }, { signal });
    return 'Updated';
  }
  checkReadiness();
  return 'Ready';
}
