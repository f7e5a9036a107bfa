/** Where Environments are created without being stored. */
export const dryRunEnvironments = '/apis/homeostat.io/v1alpha1/namespaces/default/environments?dryRun=All';

/** An Environment with this spec. */
export function environmentOf(spec: object): object {
  return { apiVersion: 'homeostat.io/v1alpha1', kind: 'Environment', metadata: { name: 'load' }, spec };
}
