import { isRecord } from '../base/json.ts';
import type { Manifest, Unstructured } from '../base/object.ts';
import { formatRef, keyOf } from '../base/resource.ts';
import { renderRbac } from '../manifests/rbac.ts';
import { typeOf } from './apply-manifests.ts';
import { firstDifference } from './manifest-difference.ts';
import { APPLY_AGAIN, look, type VerifyAccess } from './verify-access.ts';
import { type About, broken, type Finding, well } from './verify-finding.ts';

/** Whether the ServiceAccount, its roles and its bindings are there and give every right that this version needs. */
export async function verifyRights(access: VerifyAccess): Promise<readonly Finding[]> {
  return Promise.all(renderRbac(access.kinds, access.settings).map((object) => verifyObject(access, object)));
}

async function verifyObject(access: VerifyAccess, rendered: Manifest): Promise<Finding> {
  const about: About = { joint: 'rights', subject: formatRef({ kind: rendered.kind, ...rendered.metadata }) };
  const looked = await look(access, typeOf(rendered, []), keyOf(rendered), about);
  if (looked.object === undefined) return looked.finding;
  const missing = missingRight(rendered, looked.object);
  if (missing !== undefined) return broken(about, `It does not grant ${missing}`, APPLY_AGAIN);
  const difference =
    firstDifference(rendered['roleRef'], looked.object['roleRef'], 'roleRef') ??
    firstDifference(rendered['subjects'], looked.object['subjects'], 'subjects');
  return difference === undefined
    ? well(about, 'as this version needs it')
    : broken(about, `It binds somebody or something else: ${difference} differs`, APPLY_AGAIN);
}

/** The first right that the rendered rules grant and the registered ones do not; installations may grant more. */
function missingRight(rendered: Manifest, registered: Unstructured): string | undefined {
  const granted = new Set(rightsOf(registered));
  return rightsOf(rendered).find((right) => !granted.has(right));
}

/** `patch environments/status of homeostat.io`, one for each verb, group, resource and name of each rule. */
function rightsOf(role: Manifest | Unstructured): readonly string[] {
  const rules = role['rules'];
  return Array.isArray(rules) ? rules.filter(isRecord).flatMap(rightsOfRule) : [];
}

function rightsOfRule(rule: Readonly<Record<string, unknown>>): readonly string[] {
  const { verbs, resources, apiGroups, resourceNames } = rule;
  const names = resourceNames === undefined ? [''] : textsOf(resourceNames).map((name) => ` ${name}`);
  const groups = textsOf(apiGroups).map((group) => (group === '' ? '' : ` of ${group}`));
  return joined([textsOf(verbs), [' '], textsOf(resources), groups, names]);
}

/** Every text that has one part of each list, in their order. */
function joined([parts = [''], ...rest]: readonly (readonly string[])[]): readonly string[] {
  if (rest.length === 0) return parts;
  const ends = joined(rest);
  return parts.flatMap((part) => ends.map((end) => part + end));
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
