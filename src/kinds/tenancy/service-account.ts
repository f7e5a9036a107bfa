import { type Manifest, SERVICE_ACCOUNTS, type Unstructured } from '../../sdk/index.ts';
import type { ChildForm } from './child-form.ts';
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
  if (union.length === 0) return desired;
  const annotations = { ...desired.metadata.annotations, [MANAGED_PULL_SECRETS]: [...wanted].join(',') };
  return {
    ...desired,
    metadata: { ...desired.metadata, annotations, resourceVersion: live.metadata.resourceVersion },
    imagePullSecrets: union,
  };
}

/** Both manifests of ours and live objects hold the list as core/v1 spells it. */
function pullSecretsOf(object: { readonly [member: string]: unknown }): readonly PullSecret[] {
  return (object['imagePullSecrets'] ?? []) as readonly PullSecret[];
}
