import type { AdmissionRequest } from './admission-request.ts';
import { forbidden, notFound } from './status-error.ts';
import type { Storage } from './storage.ts';

const NAMESPACES = { group: '', plural: 'namespaces' };
const IMMORTAL = new Set(['default', 'kube-system', 'kube-public']);

/** The NamespaceLifecycle plugin: 404 in a namespace that is not there, 403 for new content in one that is going. */
export function admitNamespace(storage: Storage, request: AdmissionRequest): void {
  const { resource, operation, namespace, name } = request;
  if (resource.storage === 'namespaces') {
    if (operation === 'DELETE' && IMMORTAL.has(name)) {
      throw forbidden(NAMESPACES, name, 'this namespace may not be deleted');
    }
    return;
  }
  if (!resource.namespaced || operation !== 'CREATE') return;
  const found = storage.get('namespaces', namespace);
  if (found === undefined) throw notFound(NAMESPACES, namespace);
  if (found.metadata.deletionTimestamp === undefined) return;
  const causes = [
    {
      reason: 'NamespaceTerminating',
      message: `namespace ${namespace} is being terminated`,
      field: 'metadata.namespace',
    },
  ];
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
  throw forbidden(resource, name, why, causes);
}
