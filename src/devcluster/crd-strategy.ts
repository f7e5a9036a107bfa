import { errorText } from '../base/errors.ts';
import type { PathSegment } from '../base/field-path.ts';
import { isRecord } from '../base/json.ts';
import type { Unstructured } from '../base/object.ts';
import type { Violation } from '../base/violation.ts';
import { PLAIN, unsupported, violation } from './builtin-strategies.ts';
import { type CelTwins, compiledFor, twinRules } from './cel-twins.ts';
import { schemaOf, versionsOf } from './custom-resource.ts';
import { compileJsonPath } from './json-path.ts';
import { listAt, type RawObject, recordAt, textAt, withMember } from './raw-json.ts';
import type { Strategy } from './served-resource.ts';
import { notImplemented } from './status-error.ts';

/** Behaviour of CustomResourceDefinitions. A definition whose CEL rule has no twin, or that converts by webhook, is refused with 501. */
export function crdStrategy(twins: readonly CelTwins[]): Strategy {
  const judge = (definition: Unstructured): readonly Violation[] => {
    refuseUnknownParts(definition, twins);
    return [...nameViolations(definition), ...versionViolations(definition, twins)];
  };
  return {
    ...PLAIN,
    hasGeneration: true,
    emptyObject: {
      spec: { group: '', names: { plural: '', kind: '' }, scope: '', versions: null },
      status: { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions: null },
    },
    complete,
    prepareCreate: (definition) => {
      const storage = versionsOf(definition).find((version) => version['storage'] === true);
      const storedVersions = storage === undefined ? null : [textAt(storage, 'name')];
      return { ...definition, status: { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions } };
    },
    validateCreate: judge,
  };
}

function complete(definition: Unstructured): Unstructured {
  const names = recordAt(definition, 'spec', 'names');
  const kind = textAt(names, 'kind');
  const singular = textAt(names, 'singular') || kind.toLowerCase();
  const listKind = textAt(names, 'listKind') || `${kind}List`;
  const named = withMember(definition, ['spec', 'names'], { ...names, singular, listKind });
  return {
    ...named,
    status: named['status'] ?? { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions: null },
  };
}

function refuseUnknownParts(definition: Unstructured, twins: readonly CelTwins[]): void {
  const { name } = definition.metadata;
  if (textAt(definition, 'spec', 'conversion', 'strategy') === 'Webhook') {
    throw notImplemented(`CustomResourceDefinition ${name} converts by webhook; only the strategy None is known`);
  }
  const type = { group: textAt(definition, 'spec', 'group'), plural: textAt(definition, 'spec', 'names', 'plural') };
  for (const version of versionsOf(definition)) {
    if (listAt(version, 'selectableFields').length > 0) {
      throw notImplemented(`CustomResourceDefinition ${name} declares selectableFields`);
    }
    const [rule] = twinRules(schemaOf(version), type, twins).missing;
    if (rule !== undefined) {
      throw notImplemented(
        `CustomResourceDefinition ${name} has the CEL rule ${JSON.stringify(rule)}, for which no TypeScript twin was given`,
      );
    }
    const paths = listAt(version, 'additionalPrinterColumns').map((item) => textAt(item, 'jsonPath'));
    const path = paths.find((candidate) => compileJsonPath(candidate) === undefined);
    if (path !== undefined)
      throw notImplemented(`CustomResourceDefinition ${name} prints the JSONPath ${path}, which is not understood`);
  }
}

function nameViolations(definition: Unstructured): readonly Violation[] {
  const names = recordAt(definition, 'spec', 'names');
  const expected = `${textAt(names, 'plural')}.${textAt(definition, 'spec', 'group')}`;
  const { name } = definition.metadata;
  const scope = textAt(definition, 'spec', 'scope');
  const missing = ['plural', 'kind'].filter((member) => textAt(names, member) === '');
  return [
    ...(name === expected
      ? []
      : [violation('FieldValueInvalid', ['metadata', 'name'], name, 'must be spec.names.plural+"."+spec.group')]),
    ...(scope === 'Namespaced' || scope === 'Cluster'
      ? []
      : [unsupported(['spec', 'scope'], scope, ['Cluster', 'Namespaced'])]),
    ...missing.map((member) => violation('FieldValueRequired', ['spec', 'names', member], undefined, '')),
  ];
}

function versionViolations(definition: Unstructured, twins: readonly CelTwins[]): readonly Violation[] {
  const versions = versionsOf(definition);
  const stored = versions.filter((version) => version['storage'] === true).length;
  const one = 'must have exactly one version marked as storage version';
  return [
    ...(stored === 1
      ? []
      : [
          violation(
            'FieldValueInvalid',
            ['spec', 'versions'],
            versions.map((item) => item['name']),
            one,
          ),
        ]),
    ...versions.flatMap((version, index) => schemaViolations(version, index, twins)),
  ];
}

function schemaViolations(version: RawObject, index: number, twins: readonly CelTwins[]): readonly Violation[] {
  const path: readonly PathSegment[] = ['spec', 'versions', index, 'schema', 'openAPIV3Schema'];
  if (!isRecord(recordAt(version, 'schema')['openAPIV3Schema'])) {
    return [{ ...violation('FieldValueRequired', [], undefined, 'schemas are required'), path }];
  }
  try {
    compiledFor(schemaOf(version), twins);
    return [];
  } catch (error) {
    return [{ ...violation('FieldValueForbidden', [], undefined, errorText(error)), path }];
  }
}
