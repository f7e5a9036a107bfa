import { isRecord, jsonEqual } from '../base/json.ts';
import type { Unstructured } from '../base/object.ts';
import { canonicalQuantity } from '../base/quantity.ts';
import type { Violation, ViolationType } from '../base/violation.ts';

import { listAt, mapValues, memberAt, type RawObject, recordAt, textAt, withMember } from './raw-json.ts';
import type { Strategy } from './served-resource.ts';

const RBAC_GROUP = 'rbac.authorization.k8s.io';

/** What most built-in kinds share. */
export const PLAIN: Strategy = {
  nameRule: 'subdomain',
  hasGeneration: false,
  unconditionalUpdate: true,
  createOnUpdate: false,
  returnsDeleted: false,
  emptyObject: {},
};

/** Behaviour of the built-in kinds beyond their schemas; others are {@link PLAIN}. */
export const BUILTIN_STRATEGIES = {
  Namespace: {
    ...PLAIN,
    nameRule: 'label',
    emptyObject: { spec: {}, status: {} },
    complete: (object) => {
      const labels = { ...object.metadata.labels, 'kubernetes.io/metadata.name': object.metadata.name };
      return object.metadata.name === undefined ? object : { ...object, metadata: { ...object.metadata, labels } };
    },
    prepareCreate: (object) => ({
      ...object,
      spec: { finalizers: [...new Set([...listAt(object, 'spec', 'finalizers'), 'kubernetes'])] },
      status: { phase: 'Active' },
    }),
    prepareUpdate: (object, old) => ({ ...object, spec: old['spec'], status: old['status'] }),
  },
  Secret: {
    ...PLAIN,
    complete: (object) => {
      const given = recordAt(object, 'stringData');
      const encoded = mapValues(given, (value) => Buffer.from(String(value), 'utf8').toString('base64'));
      const data = { ...recordAt(object, 'data'), ...encoded };
      const { stringData: _, ...rest } = object;
      const type = object['type'] ?? 'Opaque';
      return { ...rest, ...(Object.keys(data).length === 0 ? {} : { data }), type };
    },
    validateCreate: dataKeyViolations,
    validateUpdate: (object, old) =>
      object['type'] === old['type']
        ? []
        : [violation('FieldValueInvalid', ['type'], object['type'], 'field is immutable')],
  },
  ConfigMap: { ...PLAIN, validateCreate: dataKeyViolations },
  ServiceAccount: { ...PLAIN, returnsDeleted: true },
  ResourceQuota: {
    ...PLAIN,
    returnsDeleted: true,
    emptyObject: { spec: {}, status: {} },
    complete: (object) => {
      const hard = memberAt(object, ['spec', 'hard']);
      const spec = isRecord(hard) ? { ...recordAt(object, 'spec'), hard: canonical(hard) } : (object['spec'] ?? {});
      return { ...object, spec, status: object['status'] ?? {} };
    },
    prepareCreate: (object) => ({ ...object, status: {} }),
    prepareUpdate: (object, old) => ({ ...object, status: old['status'] }),
    validateCreate: (object) => quantityViolations(recordAt(object, 'spec', 'hard'), ['spec', 'hard']),
  },
  LimitRange: {
    ...PLAIN,
    emptyObject: { spec: { limits: null } },
    validateCreate: (object) => {
      const types = listAt(object, 'spec', 'limits').map((item) => textAt(item, 'type'));
      return types.flatMap((type, index) =>
        types.indexOf(type) === index
          ? []
          : [{ ...violation('FieldValueDuplicate', [], type, ''), path: ['spec', 'limits', index, 'type'] }],
      );
    },
    complete: (object) => {
      const limits = listAt(object, 'spec', 'limits').map((item) => (isRecord(item) ? completeLimit(item) : item));
      return { ...object, spec: { limits: limits.length === 0 ? null : limits } };
    },
  },
  NetworkPolicy: {
    ...PLAIN,
    hasGeneration: true,
    emptyObject: { spec: { podSelector: {} } },
    complete: (object) => {
      if (listAt(object, 'spec', 'policyTypes').length > 0) return object;
      const egress = listAt(object, 'spec', 'egress').length > 0;
      return withMember(object, ['spec', 'policyTypes'], egress ? ['Ingress', 'Egress'] : ['Ingress']);
    },
  },
  Role: { ...PLAIN, nameRule: 'path', complete: completeRules, emptyObject: { rules: null } },
  ClusterRole: { ...PLAIN, nameRule: 'path', complete: completeRules, emptyObject: { rules: null } },
  RoleBinding: binding(),
  ClusterRoleBinding: binding(),
  Service: { ...PLAIN, returnsDeleted: true, emptyObject: { spec: {}, status: { loadBalancer: {} } } },
  Pod: { ...PLAIN, returnsDeleted: true, emptyObject: { spec: { containers: null }, status: {} } },
  Lease: {
    ...PLAIN,
    unconditionalUpdate: false,
    createOnUpdate: true,
    emptyObject: { spec: {} },
    validateCreate: (object) => {
      const seconds = memberAt(object, ['spec', 'leaseDurationSeconds']);
      const path = ['spec', 'leaseDurationSeconds'];
      return typeof seconds === 'number' && seconds <= 0
        ? [violation('FieldValueInvalid', path, seconds, 'must be greater than 0')]
        : [];
    },
  },
  Event: { ...PLAIN, createOnUpdate: true, emptyObject: EVENT_EMPTY() },
  Deployment: generated({ spec: { selector: null, template: {} }, status: {} }),
  PodDisruptionBudget: generated({ spec: {}, status: {} }),
  Job: generated({ spec: { template: {} }, status: {} }),
  CronJob: generated({ spec: { schedule: '', jobTemplate: {} }, status: {} }),
  MutatingWebhookConfiguration: generated({}),
  ValidatingWebhookConfiguration: generated({}),
} as const satisfies Readonly<Record<string, Strategy>>;

/** One violation found outside a compiled schema. */
export function violation(type: ViolationType, path: readonly string[], value: unknown, detail: string): Violation {
  return { rule: 'schema', severity: 'deny', type, path, value, detail };
}

const DATA_KEY = /^[-._a-zA-Z0-9]+$/;
const DATA_KEY_TEXT =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

function dataKeyViolations(object: Unstructured): readonly Violation[] {
  return ['data', 'binaryData'].flatMap((member) =>
    Object.keys(recordAt(object, member))
      .filter((key) => !DATA_KEY.test(key))
      .map((key) => ({ ...violation('FieldValueInvalid', [], key, DATA_KEY_TEXT), path: [member, { key }] })),
  );
}

function generated(emptyObject: Strategy['emptyObject']): Strategy {
  return { ...PLAIN, hasGeneration: true, emptyObject };
}

function EVENT_EMPTY(): Strategy['emptyObject'] {
  return { involvedObject: {}, regarding: {}, source: {}, deprecatedSource: {}, reportingComponent: '' };
}

/** A typed role without rules shows `rules: null`, since the Go field is not omitted when empty. */
function completeRules(object: Unstructured): Unstructured {
  return { ...object, rules: object['rules'] ?? null };
}

function binding(): Strategy {
  return {
    ...PLAIN,
    nameRule: 'path',
    emptyObject: { roleRef: {} },
    complete: (object) => {
      const subjects = listAt(object, 'subjects').map((subject) => {
        if (!isRecord(subject) || textAt(subject, 'apiGroup') !== '') return subject;
        const person = subject['kind'] === 'User' || subject['kind'] === 'Group';
        return person ? { ...subject, apiGroup: RBAC_GROUP } : subject;
      });
      const roleRef = recordAt(object, 'roleRef');
      const group = textAt(roleRef, 'apiGroup');
      const named = { ...roleRef, apiGroup: group === '' ? RBAC_GROUP : group };
      return { ...object, ...(subjects.length === 0 ? {} : { subjects }), roleRef: named };
    },
    validateCreate: (object) => {
      const ref = recordAt(object, 'roleRef');
      const missing = ['kind', 'name'].filter((member) => textAt(ref, member) === '');
      return missing.map((member) =>
        member === 'kind'
          ? unsupported(['roleRef', 'kind'], '', ['ClusterRole', 'Role'])
          : violation('FieldValueRequired', ['roleRef', 'name'], undefined, ''),
      );
    },
    validateUpdate: (object, old) =>
      jsonEqual(object['roleRef'], old['roleRef'])
        ? []
        : [violation('FieldValueInvalid', ['roleRef'], goRoleRef(recordAt(object, 'roleRef')), 'field is immutable')],
  };
}

/** A value outside a fixed set, in the API server's words. */
export function unsupported(path: readonly string[], value: unknown, known: readonly string[]): Violation {
  const list = known.map((word) => JSON.stringify(word)).join(', ');
  return violation('FieldValueNotSupported', path, value, `supported values: ${list}`);
}

/** The API server prints the internal Go struct, whose JSON members are capitalised. */
function goRoleRef(ref: RawObject): RawObject {
  return { APIGroup: ref['apiGroup'], Kind: ref['kind'], Name: ref['name'] };
}

function canonical(quantities: RawObject): RawObject {
  return mapValues(quantities, (value) => canonicalQuantity(toText(value)) ?? value);
}

function toText(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

function quantityViolations(quantities: RawObject, path: readonly string[]): readonly Violation[] {
  return Object.entries(quantities)
    .filter(([, value]) => canonicalQuantity(toText(value))?.startsWith('-') === true)
    .map(([name, value]) => ({
      ...violation('FieldValueInvalid', [], value, 'must be greater than or equal to 0'),
      path: [...path, { key: name }],
    }));
}

const LIMIT_MEMBERS = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'];

/** Defaults of LimitRange items: default from max, then defaultRequest from default, then from min; Container only. */
function completeLimit(item: RawObject): RawObject {
  const result: Record<string, unknown> = { ...item };
  for (const member of LIMIT_MEMBERS) if (isRecord(item[member])) result[member] = canonical(item[member]);
  if (item['type'] !== 'Container') return result;
  const defaults = { ...recordAt(result, 'max'), ...recordAt(result, 'default') };
  const requests = { ...recordAt(result, 'min'), ...defaults, ...recordAt(result, 'defaultRequest') };
  if (Object.keys(defaults).length > 0) result['default'] = defaults;
  if (Object.keys(requests).length > 0) result['defaultRequest'] = requests;
  return result;
}
