import { HomeostatError } from '../base/errors.ts';
import type { Manifest } from '../base/object.ts';
import { apiVersionOf, formatRef, type ResourceType } from '../base/resource.ts';
import type { KubeClient } from '../kube/client.ts';
import {
  CLUSTER_ROLE_BINDINGS,
  CLUSTER_ROLES,
  CUSTOM_RESOURCE_DEFINITIONS,
  MUTATING_WEBHOOK_CONFIGURATIONS,
  NAMESPACES,
  ROLE_BINDINGS,
  ROLES,
  SERVICE_ACCOUNTS,
  SERVICES,
  VALIDATING_WEBHOOK_CONFIGURATIONS,
} from '../kube/well-known.ts';

/** Built-in resources among the manifests. */
const BUILTIN: readonly ResourceType[] = [
  CLUSTER_ROLE_BINDINGS,
  CLUSTER_ROLES,
  CUSTOM_RESOURCE_DEFINITIONS,
  MUTATING_WEBHOOK_CONFIGURATIONS,
  NAMESPACES,
  ROLE_BINDINGS,
  ROLES,
  SERVICE_ACCOUNTS,
  SERVICES,
  VALIDATING_WEBHOOK_CONFIGURATIONS,
];

/** Field manager of what `homeostat dev` applies. */
const FIELD_MANAGER = 'homeostat-dev';

/**
 * Applies manifests in their order, as `kubectl apply --server-side` would.
 *
 * @throws HomeostatError `HOMEOSTAT_RESOURCE_UNKNOWN` for an object whose resource is neither built in nor one of `types`
 */
export async function applyManifests(
  client: KubeClient,
  objects: readonly Manifest[],
  types: readonly ResourceType[],
  signal: AbortSignal,
): Promise<void> {
  for (const object of objects) {
    await client.apply(typeOf(object, types), object, { fieldManager: FIELD_MANAGER, signal });
  }
}

/** The resource of a manifest, by its apiVersion and kind. @throws HomeostatError `HOMEOSTAT_RESOURCE_UNKNOWN` */
export function typeOf(object: Manifest, types: readonly ResourceType[]): ResourceType {
  const found = [...BUILTIN, ...types].find(
    (type) => type.kind === object.kind && apiVersionOf(type) === object.apiVersion,
  );
  if (found !== undefined) return found;
  const ref = formatRef({ kind: object.kind, ...object.metadata });
  throw new HomeostatError(
    'HOMEOSTAT_RESOURCE_UNKNOWN',
    `Cannot apply ${ref}: ${object.apiVersion} ${object.kind} is not known here`,
  );
}
