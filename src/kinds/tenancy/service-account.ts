import { type Manifest, SERVICE_ACCOUNTS, type Unstructured, valueAt } from '../../sdk/index.ts';
import type { ChildForm } from './child-form.ts';
import { FIELD_MANAGER } from './own-resources.ts';
import type { ServiceAccountItem } from './service-account-schema.ts';

/** Names the pull secrets that came from us, so that removing one from the spec removes it and nobody else's. */
const MANAGED_PULL_SECRETS = 'homeostat.io/managed-pull-secrets';

interface PullSecret {
  readonly name: string;
}

/**
 * ServiceAccounts. `secrets` is never sent, and pull secrets that others added stay: the API server keeps them as one atomic
 * list, so what is sent is the union with the live one.
 */
export const serviceAccountForm: ChildForm<ServiceAccountItem> = {
  type: SERVICE_ACCOUNTS,
  manifest: ({ name, labels, annotations, automountServiceAccountToken, imagePullSecrets = [] }, namespace) => ({
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: {
      name,
      namespace,
      ...(labels === undefined ? {} : { labels }),
      ...withAnnotation(annotations, imagePullSecrets),
    },
    ...(automountServiceAccountToken === undefined ? {} : { automountServiceAccountToken }),
    ...(imagePullSecrets.length === 0 ? {} : { imagePullSecrets }),
  }),
  normalise: (manifest) => manifest,
  unordered: ['/imagePullSecrets'],
  merge: mergePullSecrets,
};

function withAnnotation(
  annotations: Readonly<Record<string, string>> | undefined,
  own: readonly PullSecret[],
): { readonly annotations?: Readonly<Record<string, string>> } {
  if (own.length === 0) return annotations === undefined ? {} : { annotations };
  return { annotations: { ...annotations, [MANAGED_PULL_SECRETS]: own.map((secret) => secret.name).join(',') } };
}

/**
 * The union of our pull secrets and the live ones that were never ours. Once we have sent the list we own all of it, and
 * leaving it out would delete it: from then on the annotation stays, empty where nothing is ours, as long as others have
 * entries.
 */
function mergePullSecrets(desired: Manifest, live: Unstructured): Manifest {
  const mark = live.metadata.annotations?.[MANAGED_PULL_SECRETS];
  const own = pullSecretsOf(desired);
  if (own.length === 0 && mark === undefined) return desired;
  const former = new Set((mark ?? '').split(','));
  const wanted = new Set(own.map((secret) => secret.name));
  const foreign = pullSecretsOf(live).filter((secret) => !former.has(secret.name) && !wanted.has(secret.name));
  const union = [...own, ...foreign];
  const { imagePullSecrets: _list, ...rest } = desired;
  if (union.length === 0) return rest;
  const annotations = { ...desired.metadata.annotations, [MANAGED_PULL_SECRETS]: [...wanted].join(',') };
  const { resourceVersion } = live.metadata;
  const marked: Manifest = { ...rest, metadata: { ...desired.metadata, annotations, resourceVersion } };
  const complete = union.length === pullSecretsOf(live).length && own.every((secret) => has(live, secret));
  // Somebody else has written the list since, and it is as it should be: there is nothing to send.
  return complete && !isListOurs(live) ? marked : { ...marked, imagePullSecrets: union };
}

/** Whether we were the last to apply the list. Where an object tells nothing about its fields, it is taken for ours. */
function isListOurs({ metadata }: Unstructured): boolean {
  const entries = metadata.managedFields;
  return (
    entries === undefined ||
    entries.some(({ manager, operation, fieldsV1 }) => {
      return (
        manager === FIELD_MANAGER && operation === 'Apply' && valueAt(fieldsV1, ['f:imagePullSecrets']) !== undefined
      );
    })
  );
}

function has(object: Unstructured, secret: PullSecret): boolean {
  return pullSecretsOf(object).some(({ name }) => name === secret.name);
}

/** Both manifests of ours and live objects hold the list as core/v1 spells it. */
function pullSecretsOf(object: { readonly [member: string]: unknown }): readonly PullSecret[] {
  return (object['imagePullSecrets'] ?? []) as readonly PullSecret[];
}
