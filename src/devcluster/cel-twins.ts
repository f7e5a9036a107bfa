import { valueAt } from '../base/field-path.ts';
import { HomeostatError } from '../base/errors.ts';
import { jsonEqual } from '../base/json.ts';
import type { KubeObject, Unstructured } from '../base/object.ts';
import type { ResourceType } from '../base/resource.ts';
import type { Violation } from '../base/violation.ts';
import type { Change } from '../rules/change.ts';
import type { Lookup } from '../rules/lookup.ts';
import type { Rule } from '../rules/rule.ts';
import { compileSchema } from '../schema/compile.ts';
import type { CompiledSchema } from '../schema/compiled.ts';
import type { CelRule, StructuralSchema } from '../schema/structural.ts';

/** The rules of one kind; those of tier C carry the CEL text they stand for. A kind's admission slice has this shape. */
export interface CelTwins {
  readonly type: Pick<ResourceType, 'group' | 'plural'>;
  readonly rules: readonly Rule[];
  /** The kind's schema, compiled: a definition with this very schema need not compile it again. */
  readonly schema?: CompiledSchema;
}

/** A schema made ready for use, taken from the kind it belongs to where there is one. @throws InvalidSchema */
export function compiledFor(root: StructuralSchema, twins: readonly CelTwins[]): CompiledSchema {
  const known = twins.find(({ schema }) => schema !== undefined && jsonEqual(schema.root, root));
  return known?.schema ?? compileSchema(root);
}

/** One CEL rule of a schema together with the function that decides it. */
export interface TwinnedRule {
  readonly at: readonly string[];
  readonly cel: CelRule;
  readonly rule: Rule;
}

/** All CEL rules of a schema, each with its twin; `missing` lists the texts of those without one. */
export function twinRules(
  root: StructuralSchema,
  type: Pick<ResourceType, 'group' | 'plural'>,
  twins: readonly CelTwins[],
): { readonly rules: readonly TwinnedRule[]; readonly missing: readonly string[] } {
  const known = twins
    .filter((candidate) => candidate.type.group === type.group && candidate.type.plural === type.plural)
    .flatMap((candidate) => candidate.rules);
  const missing: string[] = [];
  const rules = celRules(root, []).flatMap(({ at, cel }) => {
    const rule = known.find((candidate) => candidate.cel?.rule === cel.rule && jsonEqual(candidate.cel.at, at));
    if (rule !== undefined) return [{ at, cel, rule }];
    missing.push(cel.rule);
    return [];
  });
  return { rules, missing };
}

function celRules(schema: StructuralSchema, at: readonly string[]): readonly { at: readonly string[]; cel: CelRule }[] {
  return [
    ...(schema['x-kubernetes-validations'] ?? []).map((cel) => ({ at, cel })),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, member]) => celRules(member, [...at, name])),
    ...(schema.items === undefined ? [] : celRules(schema.items, [...at, '*'])),
    ...(schema.additionalProperties === undefined ? [] : celRules(schema.additionalProperties, [...at, '*'])),
  ];
}

/** What the CEL rules refuse, in the API server's words. A part that an update leaves alone is not judged again. */
export function celViolations(
  rules: readonly TwinnedRule[],
  object: Unstructured,
  old: Unstructured | undefined,
): readonly Violation[] {
  const change: Change<KubeObject> =
    old === undefined ? { type: 'create', after: object } : { type: 'update', before: old, after: object };
  return rules.flatMap(({ at, cel, rule }) => {
    const found = rule.check(change, { lookup: NO_LOOKUP, operatorNamespace: '' });
    const ratchets = !cel.rule.includes('oldSelf');
    return found
      .filter(({ path }) => {
        const node = path.slice(0, at.length);
        return old === undefined || !ratchets || !jsonEqual(valueAt(object, node), valueAt(old, node));
      })
      .map((violation) => worded(violation, cel));
  });
}

function worded(violation: Violation, cel: CelRule): Violation {
  const { value: _, ...rest } = violation;
  const scalar = typeof violation.value !== 'object' && cel.fieldPath === undefined;
  return {
    ...rest,
    type: cel.reason ?? 'FieldValueInvalid',
    ...(scalar && violation.value !== undefined ? { value: violation.value } : {}),
    detail: cel.message ?? `failed rule: ${cel.rule}`,
  };
}

/** CEL sees one object; a twin that looks at others is not its twin. */
const NO_LOOKUP: Lookup = {
  get: () => refuseLookup(),
  byIndex: () => refuseLookup(),
};

function refuseLookup(): never {
  throw new HomeostatError(
    'HOMEOSTAT_BUG',
    'A tier C rule asked for another object, which its CEL text cannot do; make it tier W',
  );
}
