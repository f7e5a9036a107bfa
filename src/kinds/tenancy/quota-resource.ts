/** Resources that a quota knows by two names (kubernetes pkg/quota/v1/evaluator/core and pkg/quota/v1/generic). */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  cpu: 'requests.cpu',
  memory: 'requests.memory',
  'ephemeral-storage': 'requests.ephemeral-storage',
  'count/configmaps': 'configmaps',
  'count/persistentvolumeclaims': 'persistentvolumeclaims',
  'count/replicationcontrollers': 'replicationcontrollers',
  'count/resourcequotas': 'resourcequotas',
  'count/secrets': 'secrets',
  'count/services': 'services',
};

/** The one name of a resource that a quota measures, whichever it is called by. */
export function quotaResource(name: string): string {
  return Object.hasOwn(OTHER_NAMES, name) ? (OTHER_NAMES[name] ?? name) : name;
}
