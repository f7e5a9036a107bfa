import type { Hook, HookPhase } from '../../../src/base/hook.ts';
import type { KubeObject, StringMap } from '../../../src/base/object.ts';
import type { ResourceType } from '../../../src/base/resource.ts';
import type { AdmissionSlice } from '../../../src/admission/slice.ts';
import type { TimeLimit } from '../../../src/admission/time-limit.ts';
import type { DecisionContext } from '../../../src/admission/decision-context.ts';
import { deletionRule, invalid, type Rule, stateRule } from '../../../src/rules/rule.ts';
import { compileSchema } from '../../../src/schema/compile.ts';

/** The kind the admission tests speak of. */
export const GADGETS: ResourceType = {
  group: 'test.homeostat.io',
  version: 'v1',
  kind: 'Gadget',
  plural: 'gadgets',
  namespaced: true,
};

/** A gadget as the rules read it. */
export interface Gadget extends KubeObject {
  readonly spec: { readonly size: number; readonly stage?: string; readonly keep?: boolean };
}

/** Sizes are at most 5. */
export const sizeRule: Rule<Gadget> = stateRule({ id: 'gadget.size', tier: 'W' }, function* ({ spec }) {
  if (spec.size > 5) yield invalid(['spec', 'size'], spec.size, 'must be at most 5');
});

/** What `keep` holds back. */
export const keepRule: Rule<Gadget> = deletionRule({ id: 'gadget.keep' }, function* ({ spec }) {
  if (spec.keep === true)
    yield { type: 'FieldValueForbidden', path: ['spec', 'keep'], detail: 'set it to false first' };
});

/** Mirrors the stage into a label. */
export function mirrorStage(object: KubeObject): KubeObject {
  const { spec, metadata } = object as Gadget;
  if (spec?.stage === undefined || metadata.labels?.['stage'] === spec.stage) return object;
  return { ...object, metadata: { ...metadata, labels: { ...metadata.labels, stage: spec.stage } } };
}

/** A slice with these rules; others by argument. */
export function gadgetSlice(
  parts: Partial<AdmissionSlice> & { readonly gadgetRules?: readonly Rule<Gadget>[] } = {},
): AdmissionSlice {
  const { gadgetRules = [sizeRule, keepRule], ...rest } = parts;
  return {
    type: GADGETS,
    hooks: [],
    schema: compileSchema({
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          required: ['size'],
          properties: {
            size: { type: 'integer', minimum: 0, maximum: 100 },
            stage: { type: 'string', maxLength: 20 },
            keep: { type: 'boolean' },
          },
        },
      },
    }),
    // The rules of a slice take any object; the schema has seen it first.
    rules: gadgetRules as readonly Rule[],
    mutate: mirrorStage,
    ...rest,
  };
}

/** A row of the hook table for gadgets. */
export function gadgetHook(phase: HookPhase, parts: Partial<Hook> = {}): Hook {
  return {
    name: `${phase}.gadgets.test.homeostat.io`,
    path: `/${phase}/gadgets`,
    phase,
    type: GADGETS,
    operations: phase === 'protect' ? ['DELETE'] : ['CREATE', 'UPDATE'],
    failurePolicy: 'Fail',
    timeoutSeconds: 5,
    ...parts,
  };
}

/** A gadget as a review carries it. */
export function gadget(spec: object = { size: 1 }, metadata: object = {}): Record<string, unknown> {
  return {
    apiVersion: 'test.homeostat.io/v1',
    kind: 'Gadget',
    metadata: { name: 'g', namespace: 'team-a', ...metadata },
    spec,
  };
}

/** What a review request is made of, beyond the defaults. */
export type RequestParts = Readonly<Record<string, unknown>>;

/** The body of a review: a create of {@link gadget} unless said otherwise. */
export function reviewBody(request: RequestParts = {}, envelope: RequestParts = {}): Buffer {
  return Buffer.from(
    JSON.stringify({
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      request: {
        uid: 'u-1',
        kind: { group: GADGETS.group, version: GADGETS.version, kind: GADGETS.kind },
        resource: { group: GADGETS.group, version: GADGETS.version, resource: GADGETS.plural },
        name: 'g',
        namespace: 'team-a',
        operation: 'CREATE',
        userInfo: { username: 'eve', groups: ['system:authenticated'] },
        object: gadget(),
        oldObject: null,
        dryRun: false,
        ...request,
      },
      ...envelope,
    }),
  );
}

/** Caches without objects, an API server that has none, every right granted. */
export function calmContext(parts: Partial<DecisionContext> = {}): DecisionContext {
  return {
    lookup: { get: () => undefined, byIndex: () => [] },
    live: () => Promise.resolve(undefined),
    access: { allowed: () => Promise.resolve(true) },
    isTerminating: () => false,
    operatorNamespace: 'homeostat-system',
    ...parts,
  };
}

/** Time without end. */
export const noLimit: TimeLimit = { check: () => undefined, signal: new AbortController().signal };

/** Labels or annotations with keys that need escaping. */
export const AWKWARD_KEYS: StringMap = JSON.parse(
  '{"a/b":"1","a~b":"2","~1":"3","~01":"4","":"5","ü":"6","__proto__":"7"}',
);
