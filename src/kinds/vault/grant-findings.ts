import type { Finding, KubeObject, RuleContext } from '../../sdk/index.ts';
import { findGrant, type VaultGrant } from './vault-grant.ts';

/** What `judge` finds about an object under the grant of its namespace; that there is none, where there is none. */
export function* grantFindings(
  { metadata }: KubeObject,
  { lookup }: RuleContext,
  judge: (grant: VaultGrant, namespace: string) => Iterable<Finding>,
): Generator<Finding> {
  const namespace = metadata.namespace ?? '';
  const found = findGrant(namespace, lookup);
  const { restsOn } = found;
  if (found.type === 'none') yield { type: 'FieldValueForbidden', path: ['spec'], detail: found.detail, restsOn };
  else for (const finding of judge(found.grant, namespace)) yield { ...finding, restsOn };
}
