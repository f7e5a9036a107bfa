import { join } from 'node:path';
import type { JsonObject } from '../../src/base/json.ts';
import type { Manifest, Unstructured } from '../../src/base/object.ts';
import { keyOf, type ResourceType } from '../../src/base/resource.ts';
import type { KubeClient } from '../../src/kube/client.ts';
import { conditionsOf } from '../../src/status/conditions.ts';

/** What was installed before the upgrade: test/fixtures/previous-release. */
export const PREVIOUS_MANIFESTS = join(import.meta.dirname, '../fixtures/previous-release/install.yaml');

/** The condition type of that release, and today's name for it. */
export const RENAMED = { before: 'NamespaceNameResolved', after: 'NamespaceNameComputed' } as const;

const API_VERSION = 'homeostat.io/v1alpha1';

/** A ClusterConfig as that release knew it. */
export const PREVIOUS_CONFIG: Manifest = {
  apiVersion: API_VERSION,
  kind: 'ClusterConfig',
  metadata: { name: 'default' },
  spec: {},
};

/** An Environment as that release knew it. */
export const PREVIOUS_ENVIRONMENT: Manifest = {
  apiVersion: API_VERSION,
  kind: 'Environment',
  metadata: { name: 'dev', namespace: 'team-a' },
  spec: { resourceQuotas: [{ name: 'compute', hard: { pods: '20' } }] },
};

/** Puts the status of an object into the form in which the previous release left it, as that release's own field manager. */
export async function toPreviousStatus(
  client: KubeClient,
  type: ResourceType,
  object: Unstructured,
  fieldManager: string,
): Promise<Unstructured> {
  const conditions = conditionsOf(object).map((condition): JsonObject => {
    return { ...condition, type: condition.type === RENAMED.after ? RENAMED.before : condition.type };
  });
  const options = { fieldManager, subresource: 'status', signal: new AbortController().signal } as const;
  return client.patch(type, keyOf(object), { type: 'merge', body: { status: { conditions } } }, options);
}
