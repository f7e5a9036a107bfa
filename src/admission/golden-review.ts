import type { Hook, Operation } from '../base/hook.ts';
import type { Manifest } from '../base/object.ts';
import { apiVersionOf } from '../base/resource.ts';

/** The body of a review as the API server would send it for `object`, with a user who may do nothing. */
export function goldenReview(hook: Hook, operation: Operation, object: Manifest | undefined): Uint8Array {
  const { type } = hook;
  const subject = withIdentity(hook, object);
  const request = {
    uid: '00000000-0000-4000-8000-000000000000',
    kind: { group: type.group, version: type.version, kind: type.kind },
    resource: { group: type.group, version: type.version, resource: type.plural },
    name: subject.metadata.name,
    namespace: subject.metadata.namespace,
    operation,
    userInfo: { username: 'system:anonymous', groups: ['system:unauthenticated'] },
    object: operation === 'DELETE' ? null : subject,
    oldObject: operation === 'CREATE' ? null : subject,
    dryRun: true,
    options: null,
  };
  return Buffer.from(JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request }));
}

function withIdentity({ type }: Hook, object: Manifest | undefined): Manifest {
  const metadata = { name: 'golden', ...object?.metadata, ...(type.namespaced ? { namespace: 'default' } : {}) };
  return { spec: {}, ...object, apiVersion: apiVersionOf(type), kind: type.kind, metadata };
}
