import { temporaryFolder, testAuthority } from '../support/openssl.ts';
import type { Exchange } from './contract-target.ts';
import { freshNamespace } from './objects.suite.ts';
import type { Suite } from './run-suite.ts';
import { startWebhooks } from './webhook-behaviours.ts';

const CM = '/api/v1/namespaces/contract-admission/configmaps';
const CONFIGURATIONS = '/apis/admissionregistration.k8s.io/v1';
const MERGE = 'application/merge-patch+json';
const RULE = {
  apiGroups: [''],
  apiVersions: ['v1'],
  operations: ['CREATE', 'UPDATE', 'DELETE'],
  resources: ['configmaps'],
};

const VALIDATING = [
  'allow',
  'warn',
  'deny',
  'bare',
  'odd',
  'reason',
  'uid',
  'absent',
  'empty',
  'beta',
  'fault',
  'bad',
  'large',
  'busy',
  'html',
  'hang',
  'reset',
  'retry',
  'patch',
  'echo',
];
const MUTATING = ['patch', 'nothing', 'misfit', 'untyped', 'unpatched', 'encoded', 'denypatch', 'echo'];
const POLICIES = ['Fail', 'Ignore'] as const;

const webhook = (kind: 'v' | 'm', behaviour: string, failurePolicy: string, rest: object = {}): object => ({
  name: `${behaviour}.${kind}.${failurePolicy.toLowerCase()}.example.com`,
  clientConfig: { url: `https://127.0.0.1:{{port}}/${behaviour}`, caBundle: '{{caBundle}}' },
  rules: [RULE],
  failurePolicy,
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  timeoutSeconds: 2,
  objectSelector: { matchLabels: { [kind]: `${behaviour}-${failurePolicy}` } },
  namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'contract-admission' } },
  ...rest,
});
const all = (kind: 'v' | 'm', behaviours: readonly string[]): readonly object[] =>
  behaviours.flatMap((behaviour) => POLICIES.map((policy) => webhook(kind, behaviour, policy)));

const configuration = (plural: string, webhooks: readonly object[]): readonly Exchange[] => [
  { title: `remove ${plural}`, method: 'DELETE', path: `${CONFIGURATIONS}/${plural}/contract-admission`, quiet: true },
  {
    title: `create ${plural}`,
    method: 'POST',
    path: `${CONFIGURATIONS}/${plural}`,
    quiet: true,
    body: { metadata: { name: 'contract-admission' }, webhooks },
  },
];

const create = (title: string, labels: object, rest: Partial<Exchange> = {}): Exchange => ({
  title,
  method: 'POST',
  path: `${CM}?dryRun=All`,
  body: { metadata: { name: 'x', labels }, data: { k: '1' } },
  compare: [['data'], ['metadata', 'labels'], ['code'], ['reason'], ['message'], ['details']],
  ...rest,
});
const cases = (kind: 'v' | 'm', behaviours: readonly string[]): readonly Exchange[] =>
  behaviours.flatMap((behaviour) =>
    POLICIES.map((policy) =>
      create(`${kind === 'v' ? 'validating' : 'mutating'} ${behaviour} under ${policy}`, {
        [kind]: `${behaviour}-${policy}`,
      }),
    ),
  );
const active = (title: string, labels: object): Exchange =>
  create(title, labels, { until: ({ status }) => status === 422, quiet: true });

const extraMutating = [
  webhook('m', 'label', 'Fail', { name: 'a.again.example.com', objectSelector: { matchLabels: { again: 'yes' } } }),
  webhook('m', 'patch', 'Fail', {
    name: 'b.again.example.com',
    objectSelector: { matchLabels: { again: 'yes', added: 'yes' } },
  }),
  webhook('m', 'deny', 'Fail', { name: 'ready.example.com', objectSelector: { matchLabels: { ready: 'm' } } }),
  webhook('m', 'patch', 'Fail', {
    name: 'effects.example.com',
    objectSelector: { matchLabels: { effects: 'yes' } },
    sideEffects: 'None',
  }),
];

/** What the API server asks a webhook, and what it makes of each answer under both failure policies. */
export const admissionSuite: Suite = {
  name: 'admission',
  setUp: async (test) => {
    const authority = testAuthority(temporaryFolder(test), 'contract');
    const { port, server } = await startWebhooks(authority.issue('localhost'));
    test.after(() => {
      server.closeAllConnections();
      server.close();
    });
    return { port: String(port), caBundle: Buffer.from(authority.cert).toString('base64') };
  },
  exchanges: [
    ...freshNamespace('contract-admission'),
    ...configuration('validatingwebhookconfigurations', [
      ...all('v', VALIDATING),
      webhook('v', 'allow', 'Fail', {
        name: 'refused.example.com',
        objectSelector: { matchLabels: { v: 'refused' } },
        clientConfig: { url: 'https://127.0.0.1:1/x', caBundle: '{{caBundle}}' },
      }),
      webhook('v', 'allow', 'Fail', {
        name: 'system-roots.example.com',
        objectSelector: { matchLabels: { v: 'roots' } },
        clientConfig: { url: 'https://127.0.0.1:{{port}}/allow' },
      }),
    ]),
    ...configuration('mutatingwebhookconfigurations', [...all('m', MUTATING), ...extraMutating]),
    active('await the validating webhooks', { v: 'deny-Fail' }),
    active('await the mutating webhooks', { ready: 'm' }),
    ...cases('v', VALIDATING),
    create('a webhook that cannot be reached', { v: 'refused' }),
    create('a webhook of an unknown authority', { v: 'roots' }),
    ...cases('m', MUTATING),
    create('calls a later webhook for what an earlier one added', { again: 'yes' }),
    {
      title: 'stores what a webhook adds without owning it',
      method: 'POST',
      path: CM,
      body: { metadata: { name: 'stored', labels: { m: 'patch-Fail' } }, data: { k: '1' } },
    },
    {
      title: 'shows both objects to a webhook',
      method: 'PATCH',
      path: `${CM}/stored?fieldManager=me`,
      type: MERGE,
      body: { metadata: { labels: { v: 'echo-Fail' } } },
    },
    {
      title: 'mutates an update',
      method: 'PATCH',
      path: `${CM}/stored`,
      type: MERGE,
      body: { data: { added: null, other: '1' } },
      compare: [['data']],
    },
    {
      title: 'create one that may not go',
      method: 'POST',
      path: CM,
      body: { metadata: { name: 'guarded', labels: { v: 'allow-Fail' } } },
      quiet: true,
    },
    {
      title: 'calls for the old labels too',
      method: 'PATCH',
      path: `${CM}/guarded`,
      type: MERGE,
      body: { metadata: { labels: { v: 'echo-Fail' } } },
    },
    {
      title: 'generates names after mutation',
      method: 'POST',
      path: CM,
      body: { metadata: { generateName: 'gen-', labels: { m: 'echo-Fail' } } },
    },
    {
      title: 'remove the validating configuration',
      method: 'DELETE',
      path: `${CONFIGURATIONS}/validatingwebhookconfigurations/contract-admission`,
      quiet: true,
    },
    {
      title: 'remove the mutating configuration',
      method: 'DELETE',
      path: `${CONFIGURATIONS}/mutatingwebhookconfigurations/contract-admission`,
      quiet: true,
    },
  ],
};
