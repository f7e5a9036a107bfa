import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Hook } from '../../../src/base/hook.ts';
import type { Manifest } from '../../../src/base/object.ts';
import { lintManifests, lintRendering } from '../../../src/manifests/lint.ts';
import { formatLintFinding } from '../../../src/manifests/lint-finding.ts';
import type { LintedKind, LintInput } from '../../../src/manifests/lint-input.ts';
import { renderInstallation } from '../../../src/manifests/render.ts';
import { defaultManifestSettings } from '../../../src/manifests/settings.ts';
import { widgetHook, widgetManifestSlice } from '../../support/widget-slice.ts';

const settings = { ...defaultManifestSettings('1.2.3'), networkPolicy: true };
const widget: LintedKind = { ...widgetManifestSlice, isIdempotentOn: () => true };

function rendered(kind: LintedKind = widget): LintInput {
  return { kinds: [kind], certificates: 'cert-manager', objects: renderInstallation([kind], settings) };
}

/** A violation: a value at a path of the objects of a kind. `undefined` takes the member away. */
interface Plant {
  readonly rule: string;
  readonly kind: string;
  readonly path: readonly (string | number)[];
  readonly value: unknown;
}

const FAILING = 'MutatingWebhookConfiguration';
const IGNORING = 'ValidatingWebhookConfiguration';
const hook = (member: string): readonly (string | number)[] => ['webhooks', 0, member];
const rule = (member: string): readonly (string | number)[] => ['webhooks', 0, 'rules', 0, member];
const protect = (...path: readonly (string | number)[]): readonly (string | number)[] => ['webhooks', 1, ...path];
const container = (...path: readonly (string | number)[]): readonly (string | number)[] => [
  'spec',
  'template',
  'spec',
  'containers',
  0,
  ...path,
];

const PLANTS: readonly Plant[] = [
  { rule: 'L01', kind: FAILING, path: hook('name'), value: 'widgets.local' },
  { rule: 'L01', kind: IGNORING, path: protect('name'), value: 'validate.widgets.example.com' },
  { rule: 'L02', kind: FAILING, path: hook('admissionReviewVersions'), value: ['v1', 'v1beta1'] },
  { rule: 'L03', kind: FAILING, path: hook('sideEffects'), value: 'Unknown' },
  { rule: 'L04', kind: FAILING, path: ['webhooks', 0, 'clientConfig', 'caBundle'], value: 'Cg==' },
  { rule: 'L04', kind: FAILING, path: ['metadata', 'annotations'], value: {} },
  { rule: 'L05', kind: FAILING, path: rule('apiGroups'), value: ['apps'] },
  { rule: 'L05', kind: FAILING, path: hook('objectSelector'), value: { matchLabels: { checked: 'yes' } } },
  { rule: 'L06', kind: FAILING, path: rule('resources'), value: ['*'] },
  { rule: 'L06', kind: FAILING, path: rule('operations'), value: ['*'] },
  { rule: 'L07', kind: FAILING, path: rule('operations'), value: ['CREATE', 'DELETE'] },
  { rule: 'L08', kind: FAILING, path: rule('resources'), value: ['widgets/status'] },
  { rule: 'L08', kind: FAILING, path: rule('resources'), value: ['pods/binding'] },
  { rule: 'L09', kind: FAILING, path: rule('resources'), value: ['leases'] },
  { rule: 'L09', kind: IGNORING, path: protect('rules', 0, 'resources'), value: ['nodes'] },
  { rule: 'L10', kind: FAILING, path: rule('resources'), value: ['pods'] },
  { rule: 'L10', kind: IGNORING, path: protect('rules', 0, 'resources'), value: ['pods'] },
  { rule: 'L11', kind: FAILING, path: hook('timeoutSeconds'), value: 11 },
  { rule: 'L12', kind: FAILING, path: hook('matchPolicy'), value: 'Exact' },
  { rule: 'L14', kind: FAILING, path: ['webhooks', 0, 'clientConfig', 'service', 'path'], value: '/Mutate' },
  { rule: 'L14', kind: FAILING, path: ['webhooks', 0, 'clientConfig', 'service', 'name'], value: 'elsewhere' },
  { rule: 'L14', kind: 'Service', path: ['spec', 'ports', 0, 'port'], value: 8443 },
  { rule: 'L15', kind: 'Deployment', path: container('volumeMounts', 0, 'subPath'), value: 'tls.crt' },
  { rule: 'L15', kind: 'Deployment', path: container('volumeMounts', 0, 'readOnly'), value: undefined },
  {
    rule: 'L15',
    kind: 'Deployment',
    path: ['spec', 'template', 'spec', 'volumes', 0, 'secret', 'optional'],
    value: false,
  },
  { rule: 'L16', kind: 'Issuer', path: ['spec'], value: { selfSigned: {} } },
  { rule: 'L16', kind: 'Certificate', path: ['spec', 'privateKey', 'rotationPolicy'], value: 'Never' },
  { rule: 'L16', kind: 'Certificate', path: ['spec', 'renewBefore'], value: '2100h0m0s' },
  { rule: 'L16', kind: 'Certificate', path: ['spec', 'dnsNames'], value: ['homeostat.example.com'] },
  { rule: 'L17', kind: 'Deployment', path: ['spec', 'strategy', 'rollingUpdate', 'maxUnavailable'], value: 1 },
  { rule: 'L17', kind: 'Deployment', path: container('args'), value: ['run', '--shutdown-delay=2s'] },
  { rule: 'L17', kind: 'Deployment', path: ['spec', 'template', 'spec', 'terminationGracePeriodSeconds'], value: 45 },
  { rule: 'L17', kind: 'Deployment', path: container('readinessProbe', 'httpGet', 'port'), value: 'webhook' },
  {
    rule: 'L18',
    kind: 'ClusterRole',
    path: ['rules', 0],
    value: { resources: ['validatingwebhookconfigurations'], verbs: ['get', 'patch'] },
  },
  { rule: 'L22', kind: 'Deployment', path: ['spec', 'template', 'spec', 'securityContext'], value: {} },
  { rule: 'L22', kind: 'Deployment', path: container('securityContext', 'readOnlyRootFilesystem'), value: false },
  { rule: 'L22', kind: 'Deployment', path: container('resources', 'limits', 'cpu'), value: '1' },
  { rule: 'L22', kind: 'Deployment', path: container('resources', 'limits', 'memory'), value: undefined },
  { rule: 'L23', kind: 'Service', path: ['spec', 'ports', 0, 'targetPort'], value: 'https' },
  { rule: 'L23', kind: 'Service', path: ['spec', 'selector'], value: { app: 'other' } },
  { rule: 'L23', kind: 'NetworkPolicy', path: ['spec', 'ingress'], value: [{ ports: [{ port: 443 }] }] },
  { rule: 'L24', kind: 'PodDisruptionBudget', path: ['spec', 'minAvailable'], value: 2 },
  { rule: 'L24', kind: 'PodDisruptionBudget', path: ['spec', 'maxUnavailable'], value: 0 },
  { rule: 'L24', kind: 'PodDisruptionBudget', path: ['spec', 'unhealthyPodEvictionPolicy'], value: undefined },
  { rule: 'L25', kind: 'ClusterRole', path: ['rules', 0, 'verbs'], value: ['*'] },
  { rule: 'L26', kind: 'Deployment', path: container('image'), value: 'example.com/homeostat:latest' },
  { rule: 'L26', kind: 'Deployment', path: container('env'), value: [] },
  { rule: 'L27', kind: 'Deployment', path: ['spec', 'selector', 'matchLabels'], value: { app: 'other' } },
];

function planted({ objects, ...rest }: LintInput, { kind, path, value }: Plant): LintInput {
  const changed = objects.map((object) => (object.kind === kind ? withValue(object, path, value) : object));
  // What is changed stays an object with kind and metadata.
  return { ...rest, objects: changed as readonly Manifest[] };
}

function withValue(target: unknown, [member, ...rest]: readonly (string | number)[], value: unknown): unknown {
  if (member === undefined) return value;
  if (Array.isArray(target))
    return target.map((item, index) => (index === member ? withValue(item, rest, value) : item));
  const record: Readonly<Record<string, unknown>> = Object.assign({}, target);
  return { ...record, [member]: withValue(record[member], rest, value) };
}

function found(input: LintInput): readonly string[] {
  return lintManifests(input).map((finding) => finding.rule);
}

test('rendered manifests have nothing to find', () => {
  assert.deepEqual(lintManifests(rendered()).map(formatLintFinding), []);
});

for (const plant of PLANTS) {
  test(`${plant.rule} sees ${plant.kind} ${plant.path.join('.')} = ${JSON.stringify(plant.value)}`, () => {
    assert.ok(found(planted(rendered(), plant)).includes(plant.rule));
  });
}

test('L10 takes a hook on Pods that namespaces and Pods opt in to', () => {
  const podHook = {
    rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], operations: ['CREATE'] }],
    namespaceSelector: { matchLabels: { inject: 'yes' } },
    matchConditions: [{ name: 'asked', expression: 'true' }],
  };
  const [configuration] = rendered().objects.filter(({ kind }) => kind === IGNORING);
  const webhooks = configuration?.['webhooks'];
  const ignored: unknown = Array.isArray(webhooks) ? webhooks[1] : undefined;
  const input = planted(rendered(), {
    rule: 'L10',
    kind: IGNORING,
    path: ['webhooks', 1],
    value: Object.assign({}, ignored, podHook),
  });
  assert.deepEqual(found(input), []);
});

test('L13 sees a mutator whose second pass changes its own result', () => {
  const restless: LintedKind = { ...widget, isIdempotentOn: () => false };
  assert.deepEqual(found(rendered(restless)), ['L13']);
});

test('L19 sees a schema without bounds', () => {
  const unbounded: LintedKind = {
    ...widget,
    structure: {
      type: 'object',
      properties: {
        spec: { type: 'object', description: 'Spec.', properties: { note: { type: 'string', description: 'Note.' } } },
      },
    },
  };
  assert.deepEqual([...new Set(found(rendered(unbounded)))], ['L19']);
});

test('L20 sees a rendering that differs each time', () => {
  let pass = 0;
  const restless: LintedKind = {
    ...widget,
    get description() {
      return `A widget, ${pass++}.`;
    },
    get samples() {
      return [{ apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: `sample-${pass++}` } }];
    },
  };
  assert.deepEqual([...new Set(lintRendering([restless], settings).map((finding) => finding.rule))], ['L20']);
  assert.deepEqual(lintRendering([widget], settings), []);
});

for (const [what, hooks] of [
  ['without a validating row', [widgetHook('mutate')]],
  [
    'with two validating rows',
    [widgetHook('validate'), { ...widgetHook('validate'), name: 'again.widgets.example.com' }],
  ],
  ['whose validating row misses updates', [{ ...widgetHook('validate'), operations: ['CREATE'] }]],
] as const satisfies readonly (readonly [string, readonly Hook[]])[]) {
  test(`L21 sees a kind ${what}`, () => {
    assert.ok(found(rendered({ ...widget, hooks })).includes('L21'));
  });
}
