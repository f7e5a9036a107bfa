import type { KubeObject, Manifest, Unstructured } from '../../src/base/object.ts';
import type { KubeClient } from '../../src/kube/client.ts';
import type { ChildForm } from '../../src/kinds/tenancy/child-form.ts';
import { FIELD_MANAGER } from '../../src/kinds/tenancy/own-resources.ts';
import { ChildMemory } from '../../src/steps/child-memory.ts';
import { applyChildren } from '../../src/steps/children.ts';
import { stepMetrics } from '../../src/steps/step-metrics.ts';
import { recordingMetrics } from '../support/silent-ports.ts';

/** What our engine would do about a child. */
export type Decision =
  | { readonly type: 'nothing' }
  | { readonly type: 'apply'; readonly manifest: Manifest }
  | { readonly type: 'replace'; readonly manifest: Manifest };

/** The owner of every child of the oracle. */
export const OWNER: KubeObject = {
  apiVersion: 'homeostat.io/v1alpha1',
  kind: 'Environment',
  metadata: { name: 'dev', namespace: 'team-a', uid: '5d0bfbf1-6f1c-4d0e-9e9b-0c3f7c1d2e3f', resourceVersion: '1' },
};

const metrics = stepMetrics(recordingMetrics());
const signal = new AbortController().signal;

/** Asks the engine itself, with a client that notes what is sent and sends nothing. */
export async function decisionOf<Item>(
  form: ChildForm<Item>,
  item: Item,
  namespace: string,
  live: Unstructured | undefined,
): Promise<Decision> {
  const sent: Manifest[] = [];
  let deleted = false;
  const client = {
    get: () => Promise.resolve(live),
    apply: (_type: unknown, manifest: Manifest) => {
      sent.push(manifest);
      return Promise.resolve({ ...manifest, metadata: { ...manifest.metadata, uid: 'u', resourceVersion: '0' } });
    },
    delete: () => {
      deleted = true;
      return Promise.resolve({ kind: 'Status', status: 'Success' });
    },
  };
  const { manifest, ...rules } = form;
  await applyChildren(
    { ...rules, namespace, fresh: live === undefined, desired: [manifest(item, namespace)] },
    {
      owner: OWNER,
      step: 'Oracle',
      controller: FIELD_MANAGER,
      // The engine's children use these three calls.
      client: client as unknown as KubeClient,
      lookup: { get: () => undefined, byIndex: <T>() => (live === undefined ? [] : [asCached(live)]) as T[] },
      cacheBehind: false,
      signal,
      memory: new ChildMemory(),
      metrics,
    },
  );
  const [first] = sent;
  if (first === undefined) return { type: 'nothing' };
  return { type: deleted ? 'replace' : 'apply', manifest: first };
}

/** An object as our caches keep it: of managedFields only our own. */
function asCached(object: Unstructured): Unstructured {
  const managedFields = (object.metadata.managedFields ?? []).filter(({ manager }) => manager === FIELD_MANAGER);
  return { ...object, metadata: { ...object.metadata, managedFields } };
}
