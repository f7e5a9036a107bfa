import type { KubeObject, VaultSettings } from '../../sdk/index.ts';

/** Asks to take over what Vault holds under an object's name; only who may update `vaultpolicies/ownership` may set it. */
export const TAKE_OWNERSHIP_ANNOTATION = 'homeostat.io/take-ownership';

/** Lets an object go although what it has in Vault could not be taken away. */
export const SKIP_CLEANUP_ANNOTATION = 'homeostat.io/skip-vault-cleanup';

/**
 * Name in Vault of what belongs to an object. All three parts are DNS labels, so that the dots keep them apart: with dashes, `a-b` and `c`
 * would be `a` and `b-c` (kubewarden/kubewarden-controller#177).
 */
export function vaultName(
  settings: Pick<VaultSettings, 'clusterId'>,
  { metadata }: { readonly metadata: Pick<KubeObject['metadata'], 'namespace' | 'name'> },
): string {
  return `${settings.clusterId}.${metadata.namespace ?? ''}.${metadata.name}`;
}

/** Path of a policy. */
export function policyPath(name: string): string {
  return `sys/policies/acl/${name}`;
}

/** Path of a role of the Kubernetes auth method. */
export function rolePath(settings: Pick<VaultSettings, 'authMount'>, name: string): string {
  return `auth/${settings.authMount}/role/${name}`;
}

/** First line of every policy that is written for an object: whose it is. */
export function ownershipMarker(settings: Pick<VaultSettings, 'clusterId'>, { metadata }: KubeObject): string {
  return `# homeostat.io ${settings.clusterId} ${metadata.namespace ?? ''}/${metadata.name} ${metadata.uid}`;
}

/** Whether a policy's text begins with the marker. */
export function isMarked(text: string, marker: string): boolean {
  return text === marker || text.startsWith(`${marker}\n`);
}
