import type { X509Certificate } from 'node:crypto';
import type { TlsAddress } from '../app/served-chain.ts';
import type { Clock } from '../base/clock.ts';
import type { Unstructured } from '../base/object.ts';
import { formatRef, groupResourceOf, type ObjectKey, type ResourceType } from '../base/resource.ts';
import { isForbidden, isNotFound } from '../kube/api-error-predicates.ts';
import type { KubeClient } from '../kube/client.ts';
import type { ManifestSettings } from '../manifests/settings.ts';
import type { Kind } from '../sdk/kind.ts';
import { type About, broken, type Finding } from './verify-finding.ts';

/** What an installation is looked at with. */
export interface VerifyAccess {
  readonly client: KubeClient;
  readonly kinds: readonly Kind[];
  /** What this version would render; the namespace is that of the installation. */
  readonly settings: ManifestSettings;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Warnings of the API server since the last call. */
  readonly takeWarnings: () => readonly string[];
  /** The chain that a TLS server shows. */
  readonly servedChain: (address: TlsAddress, signal: AbortSignal) => Promise<readonly X509Certificate[]>;
}

/** An object, or why there is none to look at. */
export type Looked = { readonly object: Unstructured } | { readonly object?: undefined; readonly finding: Finding };

/** What everything that is missing or was edited is mended by. Without force, what somebody edited stays as he left it. */
export const APPLY_AGAIN =
  'Apply the manifests of this version again: kubectl apply --server-side --force-conflicts -f install.yaml';

/** Reads an object that must be there. Rejects as the client does, except for 404 and 403. */
export async function look(
  { client, signal }: VerifyAccess,
  type: ResourceType,
  key: ObjectKey,
  about: About,
): Promise<Looked> {
  try {
    return { object: await client.get(type, key, { signal }) };
  } catch (error) {
    const ref = formatRef({ kind: type.kind, ...key });
    if (isNotFound(error)) return { finding: broken(about, `${ref} does not exist`, APPLY_AGAIN) };
    if (isForbidden(error)) return { finding: withoutRight(about, `get ${groupResourceOf(type)} ${key.name}`) };
    throw error;
  }
}

/** The person lacks a right, so that nothing can be said. */
export function withoutRight(about: About, right: string): Finding {
  return broken(
    about,
    `You may not ${right}, so nothing can be said of it`,
    'Run it as a cluster administrator, or as the ServiceAccount of manifests/operate/verify.yaml',
  );
}
