import { type FieldPath, type Finding, forbidden } from '../../sdk/index.ts';

/** Domains whose keys mean something to the cluster: setting them takes a ClusterConfig's permission. */
const RESERVED_DOMAINS = ['kubernetes.io', 'k8s.io', 'istio.io'] as const;

/** Keys nobody may set: they are this service's own marks, or the API server sets them itself. */
const OWN_DOMAIN = 'homeostat.io';
const FIXED_KEYS: ReadonlySet<string> = new Set(['app.kubernetes.io/managed-by', 'kubernetes.io/metadata.name']);

/**
 * What is wrong with keys for a namespace, beyond their syntax. `allowedPrefixes` are those of the ClusterConfig; while it cannot be
 * found, reserved keys are let through, since it may allow them.
 */
export function* reservedKeyFindings(
  keys: readonly string[],
  allowedPrefixes: readonly string[] | undefined,
  path: FieldPath,
): Generator<Finding> {
  for (const key of keys) {
    const at = [...path, { key }];
    const domain = key.includes('/') ? key.slice(0, key.indexOf('/')) : '';
    if (FIXED_KEYS.has(key) || isWithin(domain, OWN_DOMAIN)) {
      yield forbidden(at, `"${key}" belongs to the cluster or to this service`);
    } else if (
      RESERVED_DOMAINS.some((reserved) => isWithin(domain, reserved)) &&
      allowedPrefixes?.some((prefix) => key.startsWith(prefix)) === false
    ) {
      yield forbidden(
        at,
        `"${key}" is reserved; an Environment may set it where allowedLabelPrefixes of its ClusterConfig allow`,
      );
    }
  }
}

function isWithin(domain: string, parent: string): boolean {
  return domain === parent || domain.endsWith(`.${parent}`);
}
