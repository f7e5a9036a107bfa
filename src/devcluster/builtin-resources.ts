import type { Unstructured } from '../base/object.ts';
import { compileSchema } from '../schema/compile.ts';
import type { CompiledSchema } from '../schema/compiled.ts';
import type { StructuralSchema } from '../schema/structural.ts';
import { AGE, BUILTIN_COLUMNS, NAME } from './builtin-columns.ts';
import { BUILTIN_SCHEMAS, type BuiltinSchema } from './builtin-schemas.ts';
import { BUILTIN_STRATEGIES, PLAIN } from './builtin-strategies.ts';
import type { CelTwins } from './cel-twins.ts';
import { crdStrategy } from './crd-strategy.ts';
import { toCoreEvent, toGroupedEvent } from './event-conversion.ts';
import { kept, objectSchema } from './schema-words.ts';
import { ALL_VERBS, type ServedResource, type Strategy } from './served-resource.ts';

interface Row {
  readonly kind: string;
  readonly plural: string;
  readonly group?: string;
  readonly short?: readonly string[];
  readonly all?: boolean;
  readonly cluster?: boolean;
  readonly status?: boolean;
  readonly schema?: BuiltinSchema;
}

const RBAC = 'rbac.authorization.k8s.io';
const ADMISSION = 'admissionregistration.k8s.io';
const AUTHORIZATION = 'authorization.k8s.io';

const STORED: readonly Row[] = [
  { kind: 'Namespace', plural: 'namespaces', short: ['ns'], cluster: true, status: true },
  { kind: 'ConfigMap', plural: 'configmaps', short: ['cm'] },
  { kind: 'Secret', plural: 'secrets' },
  { kind: 'ServiceAccount', plural: 'serviceaccounts', short: ['sa'] },
  { kind: 'ResourceQuota', plural: 'resourcequotas', short: ['quota'], status: true },
  { kind: 'LimitRange', plural: 'limitranges', short: ['limits'] },
  { kind: 'Service', plural: 'services', short: ['svc'], all: true, status: true },
  { kind: 'Pod', plural: 'pods', short: ['po'], all: true, status: true },
  { kind: 'Event', plural: 'events', short: ['ev'] },
  { group: 'events.k8s.io', kind: 'Event', plural: 'events', short: ['ev'], schema: 'EventV1' },
  { group: 'networking.k8s.io', kind: 'NetworkPolicy', plural: 'networkpolicies', short: ['netpol'] },
  { group: RBAC, kind: 'Role', plural: 'roles' },
  { group: RBAC, kind: 'RoleBinding', plural: 'rolebindings' },
  { group: RBAC, kind: 'ClusterRole', plural: 'clusterroles', cluster: true },
  { group: RBAC, kind: 'ClusterRoleBinding', plural: 'clusterrolebindings', cluster: true, schema: 'RoleBinding' },
  { group: 'coordination.k8s.io', kind: 'Lease', plural: 'leases' },
  { group: 'apps', kind: 'Deployment', plural: 'deployments', short: ['deploy'], all: true, status: true },
  { group: 'policy', kind: 'PodDisruptionBudget', plural: 'poddisruptionbudgets', short: ['pdb'], status: true },
  { group: 'batch', kind: 'Job', plural: 'jobs', all: true, status: true },
  { group: 'batch', kind: 'CronJob', plural: 'cronjobs', short: ['cj'], all: true, status: true },
  { group: ADMISSION, kind: 'MutatingWebhookConfiguration', plural: 'mutatingwebhookconfigurations', cluster: true },
  {
    group: ADMISSION,
    kind: 'ValidatingWebhookConfiguration',
    plural: 'validatingwebhookconfigurations',
    cluster: true,
  },
  {
    group: 'apiextensions.k8s.io',
    kind: 'CustomResourceDefinition',
    plural: 'customresourcedefinitions',
    short: ['crd', 'crds'],
    cluster: true,
    status: true,
  },
];

const REVIEWS: readonly Row[] = [
  { group: AUTHORIZATION, kind: 'SubjectAccessReview', plural: 'subjectaccessreviews', cluster: true },
  { group: AUTHORIZATION, kind: 'SelfSubjectAccessReview', plural: 'selfsubjectaccessreviews', cluster: true },
  { group: AUTHORIZATION, kind: 'LocalSubjectAccessReview', plural: 'localsubjectaccessreviews' },
  { group: AUTHORIZATION, kind: 'SelfSubjectRulesReview', plural: 'selfsubjectrulesreviews', cluster: true },
  { group: 'authentication.k8s.io', kind: 'TokenReview', plural: 'tokenreviews', cluster: true },
  { group: 'authentication.k8s.io', kind: 'SelfSubjectReview', plural: 'selfsubjectreviews', cluster: true },
];

type Strategies = Readonly<Record<string, Strategy>>;
const SCHEMAS: Readonly<Record<string, (typeof BUILTIN_SCHEMAS)[BuiltinSchema]>> = BUILTIN_SCHEMAS;

/** The resources a development cluster serves before any CustomResourceDefinition is applied. */
export function builtinResources(twins: readonly CelTwins[]): readonly ServedResource[] {
  const strategies: Strategies = { ...BUILTIN_STRATEGIES, CustomResourceDefinition: crdStrategy(twins) };
  return [...STORED.map((row) => stored(row, strategies)), ...REVIEWS.map(review)];
}

function stored(row: Row, strategies: Strategies): ServedResource {
  const schema = SCHEMAS[row.schema ?? row.kind] ?? kept;
  const events = row.kind === 'Event';
  const grouped = events && row.group !== undefined;
  return {
    ...names(row),
    verbs: ALL_VERBS,
    storage: events ? 'events' : storageName(row),
    compiled: compiledOnUse(schema),
    typed: objectSchema(schema),
    strategy: strategies[row.kind] ?? PLAIN,
    hasStatus: row.status === true,
    ...(row.kind === 'Deployment' ? { scale: DEPLOYMENT_SCALE } : {}),
    columns: BUILTIN_COLUMNS[row.kind] ?? [NAME, AGE],
    custom: false,
    fromStorage: grouped ? toGroupedEvent : same,
    toStorage: events ? toCoreEvent : same,
  };
}

const DEPLOYMENT_SCALE = { specReplicas: ['spec', 'replicas'], statusReplicas: ['status', 'replicas'] };

function review(row: Row): ServedResource {
  return {
    ...names(row),
    verbs: ['create'],
    storage: storageName(row),
    compiled: compiledOnUse(kept),
    typed: objectSchema(kept),
    strategy: PLAIN,
    hasStatus: false,
    columns: [NAME],
    custom: false,
    fromStorage: same,
    toStorage: same,
  };
}

function names(row: Row) {
  return {
    group: row.group ?? '',
    version: 'v1',
    kind: row.kind,
    plural: row.plural,
    namespaced: row.cluster !== true,
    listKind: `${row.kind}List`,
    singular: row.kind.toLowerCase(),
    shortNames: row.short ?? [],
    categories: row.all === true ? ['all'] : [],
  };
}

/** Compiling all schemas takes half a second; a test uses a few of them. */
function compiledOnUse(root: StructuralSchema): CompiledSchema {
  let compiled: CompiledSchema | undefined;
  const ready = (): CompiledSchema => (compiled ??= compileSchema(root));
  return {
    root,
    prepare: (object) => ready().prepare(object),
    violations: (object) => ready().violations(object),
    unknownFields: (object) => ready().unknownFields(object),
  };
}

function storageName(row: Row): string {
  return row.group === undefined ? row.plural : `${row.plural}.${row.group}`;
}

function same(object: Unstructured): Unstructured {
  return object;
}
