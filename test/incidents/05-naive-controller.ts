import type { EventRecorder } from '../../src/base/events.ts';
import type { Unstructured } from '../../src/base/object.ts';
import { apiVersionOf, keyOf, refOf } from '../../src/base/resource.ts';
import type { KubeClient } from '../../src/kube/client.ts';
import { CONFIG_MAPS, configMap } from '../support/engine-harness.ts';
import { WIDGETS } from '../support/widget-slice.ts';

/** The counter-example: apply everything, write the status with the time of the pass, and tell of it. Each pass. */
export async function naiveReconcile(
  client: KubeClient,
  events: EventRecorder,
  object: Unstructured,
  now: string,
): Promise<void> {
  const signal = new AbortController().signal;
  await client.apply(CONFIG_MAPS, configMap('a', '1'), { signal, fieldManager: 'naive' });
  const body = { status: { lastReconcileTime: now } };
  await client.patch(WIDGETS, keyOf(object), { type: 'merge', body }, { signal, subresource: 'status' });
  const regarding = { ...refOf(object), apiVersion: apiVersionOf(WIDGETS) };
  events.record({ regarding, type: 'Normal', reason: 'Reconciled', action: 'Reconcile', note: 'Reconciled' });
}
