import { formatViolation } from '../base/violation.ts';
import { compileSchema } from './compile.ts';
import { patternProblems } from './pattern-lint.ts';
import { ROOT_MEMBERS } from './prepare.ts';
import type { StructuralSchema } from './structural.ts';
import { structureProblems } from './structure.ts';

/**
 * What a schema of this project has to have beyond being structural: a description on every property; a bound on every text,
 * list, map and whole number, since the API server prices unbounded ones at 3 MiB and JSON.parse loses digits beyond 2^53; patterns
 * that mean the same everywhere; defaults that satisfy the schema. One sentence a defect, beginning with its path.
 *
 * For tests and the build; it compiles parts of the schema and takes its time.
 */
export function lintSchema(root: StructuralSchema): readonly string[] {
  const structure = structureProblems(root);
  if (structure.length > 0) return structure;
  const members = Object.entries(root.properties ?? {}).filter(([name]) => !ROOT_MEMBERS.has(name));
  return members.flatMap(([name, member]) => lintProperty(member, `.${name}`));
}

function lintProperty(schema: StructuralSchema, at: string): readonly string[] {
  const undescribed = (schema.description ?? '').trim() === '' ? [`${at}: a description is missing`] : [];
  return [...undescribed, ...lintNode(schema, at)];
}

function lintNode(schema: StructuralSchema, at: string): readonly string[] {
  const own = [
    ...bounds(schema),
    ...patternWords(schema),
    ...(schema.nullable === true && schema.enum !== undefined ? ['enum refuses null, so nullable has no effect'] : []),
    ...defaultProblems(schema),
  ];
  return [
    ...own.map((problem) => `${at}: ${problem}`),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, member]) => lintProperty(member, `${at}.${name}`)),
    ...(schema.items === undefined ? [] : lintNode(schema.items, `${at}[]`)),
    ...(schema.additionalProperties === undefined ? [] : lintNode(schema.additionalProperties, `${at}{}`)),
  ];
}

function bounds(schema: StructuralSchema): readonly string[] {
  const text = schema.type === 'string' || schema['x-kubernetes-int-or-string'] === true;
  const safe = [schema.minimum, schema.maximum].every((bound) => Number.isSafeInteger(bound));
  return [
    ...(text && schema.enum === undefined && schema.maxLength === undefined ? ['a text needs maxLength'] : []),
    ...(schema.type === 'array' && schema.maxItems === undefined ? ['a list needs maxItems'] : []),
    ...(schema.additionalProperties !== undefined && schema.maxProperties === undefined
      ? ['a map needs maxProperties']
      : []),
    ...(schema.type === 'integer' && !safe ? ['a whole number needs minimum and maximum within 2^53 - 1'] : []),
    ...(schema.type === 'number' ? ['a number that is not whole has no exact meaning; use a text'] : []),
  ];
}

function patternWords(schema: StructuralSchema): readonly string[] {
  const { pattern } = schema;
  return pattern === undefined ? [] : patternProblems(pattern).map((problem) => `the pattern ${pattern} ${problem}`);
}

function defaultProblems(schema: StructuralSchema): readonly string[] {
  if (schema.default === undefined) return [];
  const probe = compileSchema({ type: 'object', properties: { value: schema } });
  const given = { value: schema.default };
  const unknown = probe.unknownFields(given).map((field) => `the default has the unknown field ${field}`);
  return [
    ...unknown,
    ...probe.violations(probe.prepare(given)).map((found) => `the default breaks ${formatViolation(found)}`),
  ];
}
