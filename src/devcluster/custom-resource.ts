import { valueAt } from '../base/field-path.ts';
import { isRecord, jsonEqual } from '../base/json.ts';
import type { Unstructured } from '../base/object.ts';
import type { Violation } from '../base/violation.ts';
import type { CompiledSchema } from '../schema/compiled.ts';
import type { StructuralSchema } from '../schema/structural.ts';
import { AGE, column, NAME } from './builtin-columns.ts';
import { type CelTwins, celViolations, compiledFor, type TwinnedRule, twinRules } from './cel-twins.ts';
import { compileJsonPath } from './json-path.ts';
import { ageOf } from './printing-age.ts';
import { listAt, memberAt, type RawObject, recordAt, textAt, textsAt } from './raw-json.ts';
import { objectSchema } from './schema-words.ts';
import { ALL_VERBS, type Column, type ScalePaths, type ServedResource, type Strategy } from './served-resource.ts';

/** The resources a CustomResourceDefinition describes, one per served version. The definition has been validated. */
export function customResources(definition: Unstructured, twins: readonly CelTwins[]): readonly ServedResource[] {
  const group = textAt(definition, 'spec', 'group');
  const plural = textAt(definition, 'spec', 'names', 'plural');
  const kind = textAt(definition, 'spec', 'names', 'kind');
  const served = versionsOf(definition).filter((version) => version['served'] === true);
  const stored = versionsOf(definition).find((version) => version['storage'] === true);
  const storedVersion = `${group}/${textAt(stored, 'name')}`;
  return served.map((version) => {
    const schema = schemaOf(version);
    const compiled = compiledFor(schema, twins);
    const { rules } = twinRules(schema, { group, plural }, twins);
    const apiVersion = `${group}/${textAt(version, 'name')}`;
    const scale = scaleOf(version);
    return {
      group,
      version: textAt(version, 'name'),
      kind,
      plural,
      namespaced: textAt(definition, 'spec', 'scope') === 'Namespaced',
      listKind: textAt(definition, 'spec', 'names', 'listKind'),
      singular: textAt(definition, 'spec', 'names', 'singular'),
      shortNames: textsAt(definition, 'spec', 'names', 'shortNames'),
      categories: textsAt(definition, 'spec', 'names', 'categories'),
      verbs: ALL_VERBS,
      storage: `${plural}.${group}`,
      compiled,
      typed: objectSchema(schema),
      strategy: customStrategy(compiled, rules),
      hasStatus: memberAt(version, ['subresources', 'status']) !== undefined,
      ...(scale === undefined ? {} : { scale }),
      columns: columnsOf(version),
      custom: true,
      // Conversion is None: versions differ in name only, and each prunes and defaults by its own schema.
      fromStorage: (object) =>
        object.apiVersion === apiVersion ? object : compiled.prepare({ ...object, apiVersion }),
      toStorage: (object) => ({ ...object, apiVersion: storedVersion }),
    };
  });
}

/** Versions of a definition, raw. */
export function versionsOf(definition: Unstructured): readonly RawObject[] {
  return listAt(definition, 'spec', 'versions').filter(isRecord);
}

/** The schema of a version as the schema room reads it. */
export function schemaOf(version: RawObject): StructuralSchema {
  // Words the schema room does not know are refused when it compiles the schema.
  return recordAt(version, 'schema', 'openAPIV3Schema');
}

function customStrategy(compiled: CompiledSchema, rules: readonly TwinnedRule[]): Strategy {
  const judge = (object: Unstructured, old: Unstructured | undefined): readonly Violation[] => {
    const found = compiled
      .violations(object)
      .filter((violation) => old === undefined || !isOld(violation, object, old));
    if (rules.length === 0) return found;
    return found.some(({ type }) => BLOCKING.has(type))
      ? [...found, UNCHECKED]
      : [...found, ...celViolations(rules, object, old)];
  };
  return {
    nameRule: 'subdomain',
    hasGeneration: true,
    unconditionalUpdate: false,
    createOnUpdate: false,
    returnsDeleted: false,
    emptyObject: {},
    validateCreate: (object) => judge(object, undefined),
    validateUpdate: judge,
  };
}

/** Violations of these types keep the API server from running CEL rules. */
const BLOCKING: ReadonlySet<Violation['type']> = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);

const UNCHECKED: Violation = {
  rule: 'schema',
  severity: 'deny',
  type: 'FieldValueInvalid',
  path: [],
  value: null,
  detail:
    'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
};

/** Ratcheting: what was wrong before and did not change is let through. List items are compared with their whole list. */
function isOld(violation: Violation, object: Unstructured, old: Unstructured): boolean {
  const at = violation.type === 'FieldValueRequired' ? violation.path.slice(0, -1) : violation.path;
  const item = at.findIndex((segment) => typeof segment === 'number');
  const node = item < 0 ? at : at.slice(0, item);
  return node.length > 0 && valueAt(old, node) !== undefined && jsonEqual(valueAt(object, node), valueAt(old, node));
}

function scaleOf(version: RawObject): ScalePaths | undefined {
  const scale = memberAt(version, ['subresources', 'scale']);
  if (scale === undefined) return undefined;
  const path = (member: string): readonly string[] => textAt(scale, member).split('.').slice(1);
  const selector = path('labelSelectorPath');
  return {
    specReplicas: path('specReplicasPath'),
    statusReplicas: path('statusReplicasPath'),
    ...(selector.length === 0 ? {} : { labelSelector: selector }),
  };
}

function columnsOf(version: RawObject): readonly Column[] {
  const raw = listAt(version, 'additionalPrinterColumns').filter(isRecord);
  return raw.length === 0 ? [NAME, AGE] : [NAME, ...raw.map(customColumn)];
}

const COLUMN_TYPES = ['string', 'integer', 'number', 'boolean', 'date'] as const;

function customColumn(raw: RawObject): Column {
  const path = textAt(raw, 'jsonPath');
  const find = compileJsonPath(path) ?? (() => []);
  const type = COLUMN_TYPES.find((known) => known === raw['type']) ?? 'string';
  const priority = typeof raw['priority'] === 'number' ? raw['priority'] : 0;
  const description = textAt(raw, 'description') || `Custom resource definition column (in JSONPath format): ${path}`;
  return column(textAt(raw, 'name'), (object, now) => customCell(find(object), type, now), {
    type,
    priority,
    description,
    format: textAt(raw, 'format'),
  });
}

function customCell(values: readonly unknown[], type: Column['type'], now: number): unknown {
  const [first] = values;
  if (first === undefined || first === null) return null;
  if (type === 'date') return typeof first === 'string' ? ageOf(first, now) : null;
  if (type !== 'string') return first;
  return values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join(' ');
}
