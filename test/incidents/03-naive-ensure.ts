import type { Manifest, Unstructured } from '../../src/base/object.ts';
import type { KubeClient } from '../../src/kube/client.ts';
import { NAMESPACES } from '../../src/kube/well-known.ts';

/** The counter-example: create, read back, go on; whatever the read says is the truth, so a NotFound fails the step. */
export async function naiveEnsure(client: KubeClient, namespace: Manifest): Promise<Unstructured> {
  const signal = new AbortController().signal;
  await client.create(NAMESPACES, namespace, { signal });
  return client.get(NAMESPACES, { name: namespace.metadata.name }, { signal });
}
