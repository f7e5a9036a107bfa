import { isRecord } from '../base/json.ts';
import type { Manifest, Unstructured } from '../base/object.ts';
import { CUSTOM_RESOURCE_DEFINITIONS } from '../kube/well-known.ts';
import { renderCrd } from '../manifests/crd.ts';
import { conditionOf, conditionsOf } from '../status/conditions.ts';
import { firstDifference } from './manifest-difference.ts';
import { APPLY_AGAIN, look, type VerifyAccess } from './verify-access.ts';
import { type About, broken, type Finding, well } from './verify-finding.ts';

/** Whether each kind's definition is established and has the content this version renders. */
export async function verifyDefinitions(access: VerifyAccess): Promise<readonly Finding[]> {
  const rendered = access.kinds.map((kind) => renderCrd(kind, access.settings));
  return Promise.all(rendered.map((crd) => verifyDefinition(access, crd)));
}

async function verifyDefinition(access: VerifyAccess, rendered: Manifest): Promise<Finding> {
  const { name } = rendered.metadata;
  const about: About = { joint: 'definitions', subject: name };
  const looked = await look(access, CUSTOM_RESOURCE_DEFINITIONS, { name }, about);
  return looked.object === undefined ? looked.finding : judge(about, rendered, looked.object);
}

function judge(about: About, rendered: Manifest, registered: Unstructured): Finding {
  const established = conditionOf(conditionsOf(registered), 'Established');
  if (established?.status !== 'True') {
    const why = established?.message ?? 'the API server has not said a word about it yet';
    return broken(about, `It is not established: ${why}`, 'Wait a moment; if it stays, look at its conditions');
  }
  // Schemas both ways: a member more, of a later version, is another schema as well.
  const difference =
    firstDifference(rendered['spec'], registered['spec'], 'spec') ??
    firstDifference(schemasOf(registered), schemasOf(rendered), 'spec.versions');
  if (difference === undefined) return well(about, 'established, and as this version renders it');
  return broken(about, `It is of another version of Homeostat: ${difference} differs`, APPLY_AGAIN);
}

function schemasOf(definition: Manifest | Unstructured): unknown {
  const spec = definition['spec'];
  const versions = isRecord(spec) ? spec['versions'] : undefined;
  return Array.isArray(versions) ? versions.filter(isRecord).map((version) => version['schema']) : undefined;
}
