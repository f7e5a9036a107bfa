import { isRecord } from '../base/json.ts';
import { valueAt } from '../base/field-path.ts';
import type { Manifest } from '../base/object.ts';
import { type LintFinding, nameOf } from './lint-finding.ts';
import type { LintInput } from './lint-input.ts';

/** Resources whose interception has stopped clusters: elections, nodes, bootstrap, credentials, the hooks themselves. */
const NEVER_INTERCEPTED: ReadonlySet<string> = new Set([
  'leases',
  'events',
  'nodes',
  'namespaces',
  'serviceaccounts',
  'secrets',
  'configmaps',
  'customresourcedefinitions',
  'mutatingwebhookconfigurations',
  'validatingwebhookconfigurations',
  'apiservices',
  'certificatesigningrequests',
  'roles',
  'rolebindings',
  'clusterroles',
  'clusterrolebindings',
  'tokenreviews',
  'subjectaccessreviews',
]);

const MAX_FAIL_SECONDS = 10;
const MAX_POD_SECONDS = 3;

/** One webhook of a rendered configuration, as the checks read it. */
interface RenderedHook {
  readonly configuration: Manifest;
  readonly mutating: boolean;
  readonly raw: Readonly<Record<string, unknown>>;
  readonly name: string;
  readonly fails: boolean;
  readonly rules: readonly Readonly<Record<string, unknown>>[];
}

/** What is wrong with the webhook configurations: L01 to L14 and L21. */
export function lintWebhooks(input: LintInput): readonly LintFinding[] {
  const hooks = input.objects.filter(({ kind }) => kind.endsWith('WebhookConfiguration')).flatMap(hooksOf);
  const names = hooks.map(({ name }) => name);
  return hooks.flatMap((hook) => {
    const own = [
      ...identity(hook, names),
      ...scope(hook, input),
      ...resources(hook),
      ...podHook(hook),
      ...injection(hook, input),
      ...address(hook, input),
      ...reinvocation(hook, input),
    ];
    return own.map(([rule, problem]) => ({ rule, object: `${nameOf(hook.configuration)} ${hook.name}`, problem }));
  });
}

function hooksOf(configuration: Manifest): readonly RenderedHook[] {
  return recordsIn(configuration['webhooks']).map((raw) => ({
    configuration,
    mutating: configuration.kind === 'MutatingWebhookConfiguration',
    raw,
    name: String(raw['name']),
    fails: raw['failurePolicy'] !== 'Ignore',
    rules: recordsIn(raw['rules']),
  }));
}

type Problem = readonly [rule: string, problem: string];

function* identity({ raw, name }: RenderedHook, names: readonly string[]): Generator<Problem> {
  if (name.split('.').length < 3)
    yield ['L01', 'the name needs at least three labels, such as validate.things.example.com'];
  if (names.filter((other) => other === name).length > 1) yield ['L01', 'the name is used twice'];
  if (JSON.stringify(raw['admissionReviewVersions']) !== '["v1"]')
    yield ['L02', 'admissionReviewVersions must be [v1]'];
  if (raw['sideEffects'] !== 'None') yield ['L03', 'sideEffects must be None'];
  if (raw['matchPolicy'] !== 'Equivalent') yield ['L12', 'matchPolicy must be Equivalent'];
}

function* scope({ raw, rules, fails, configuration }: RenderedHook, { kinds }: LintInput): Generator<Problem> {
  const groups = new Set(kinds.map(({ type }) => type.group));
  const foreign = textsIn(rules, 'apiGroups').filter((group) => !groups.has(group));
  if (fails && foreign.length > 0) yield ['L05', `failurePolicy Fail on a group that is not ours: "${foreign[0]}"`];
  const open = ['apiGroups', 'apiVersions', 'resources', 'operations'].filter((member) =>
    textsIn(rules, member).some((value) => value.includes('*')),
  );
  if (open.length > 0) yield ['L06', `* stands in ${open.join(', ')}`];
  const operations = textsIn(rules, 'operations');
  const unsafe = operations.filter((operation) => operation === 'DELETE' || operation === 'CONNECT');
  if (fails && unsafe.length > 0) yield ['L07', `failurePolicy Fail on ${unsafe.join(', ')}`];
  const seconds = Number(raw['timeoutSeconds'] ?? 10);
  if (fails && seconds > MAX_FAIL_SECONDS) yield ['L11', `failurePolicy Fail with a timeout of ${seconds} s`];
  // A selector on labels that a user sets is a way around the hook.
  if (fails && raw['objectSelector'] !== undefined) {
    yield ['L05', `failurePolicy Fail with an objectSelector in ${configuration.metadata.name}, which users can dodge`];
  }
}

function* resources({ rules }: RenderedHook): Generator<Problem> {
  for (const resource of textsIn(rules, 'resources')) {
    if (resource.includes('/')) yield ['L08', `a subresource is intercepted: ${resource}`];
    const [plural = ''] = resource.split('/');
    if (NEVER_INTERCEPTED.has(plural)) yield ['L09', `${plural} must not be intercepted`];
  }
}

function* podHook({ raw, rules, fails }: RenderedHook): Generator<Problem> {
  if (!textsIn(rules, 'resources').some((resource) => resource.split('/')[0] === 'pods')) return;
  if (textsIn(rules, 'operations').join() !== 'CREATE') yield ['L10', 'a hook on Pods is for CREATE alone'];
  if (fails) yield ['L10', 'a hook on Pods must be Ignore'];
  if (Number(raw['timeoutSeconds'] ?? 10) > MAX_POD_SECONDS)
    yield ['L10', `a hook on Pods has ${MAX_POD_SECONDS} s at most`];
  // Namespaces opt in by a label, which those of the system and of the release do not carry; Pods by a match condition.
  if (!optsIn(raw['namespaceSelector'])) yield ['L10', 'a hook on Pods needs namespaces that opt in by a label'];
  if (recordsIn(raw['matchConditions']).length === 0) yield ['L10', 'a hook on Pods needs matchConditions'];
}

function optsIn(selector: unknown): boolean {
  const labels = valueAt(selector, ['matchLabels']);
  const asked = recordsIn(valueAt(selector, ['matchExpressions'])).some(
    ({ operator }) => operator === 'In' || operator === 'Exists',
  );
  return asked || (isRecord(labels) && Object.keys(labels).length > 0);
}

function* injection({ raw, configuration }: RenderedHook, { objects, certificates }: LintInput): Generator<Problem> {
  if (certificates !== 'csr' && valueAt(raw, ['clientConfig', 'caBundle']) !== undefined)
    yield ['L04', 'the caBundle belongs to who writes it in the cluster'];
  const injectors = Object.entries(configuration.metadata.annotations ?? {}).filter(([key]) =>
    key.startsWith('cert-manager.io/inject-'),
  );
  if (certificates !== 'cert-manager') {
    if (injectors.length > 0) yield ['L04', `cert-manager is asked for the CA, and it is ${certificates}`];
    return;
  }
  const [injector] = injectors;
  const leaf = servingCertificate(objects);
  const wanted = `${leaf?.metadata.namespace}/${leaf?.metadata.name}`;
  if (injectors.length !== 1 || injector?.[0] !== 'cert-manager.io/inject-ca-from' || injector[1] !== wanted) {
    yield ['L04', `exactly one annotation must ask for the CA, cert-manager.io/inject-ca-from: ${wanted}`];
  }
}

function* address({ raw }: RenderedHook, { objects, kinds, certificates }: LintInput): Generator<Problem> {
  const { namespace, name, path, port } = serviceOf(raw);
  const service = objects.find((object) => object.kind === 'Service' && object.metadata.name === name);
  if (service === undefined || service.metadata.namespace !== namespace)
    yield ['L14', `there is no Service ${namespace}/${name}`];
  const ports = recordsIn(valueAt(service, ['spec', 'ports'])).map((entry) => entry['port']);
  if (service !== undefined && !ports.includes(port)) yield ['L14', `the Service has no port ${String(port)}`];
  const names = valueAt(servingCertificate(objects), ['spec', 'dnsNames']);
  const isNamed = Array.isArray(names) && names.includes(`${name}.${namespace}.svc`);
  if (certificates === 'cert-manager' && !isNamed) {
    yield ['L14', `the serving certificate is not for ${name}.${namespace}.svc`];
  }
  const row = kinds.flatMap((kind) => kind.hooks).find((hook) => hook.name === raw['name']);
  if (row?.path !== path) yield ['L14', `no route of the hook table answers ${path}`];
  if (!/^(\/[a-z0-9]([-a-z0-9.]*[a-z0-9])?)+$/.test(path)) yield ['L14', `the path ${path} is not of DNS segments`];
}

function servingCertificate(objects: readonly Manifest[]): Manifest | undefined {
  return objects.find((object) => object.kind === 'Certificate' && valueAt(object, ['spec', 'isCA']) !== true);
}

interface ServiceReference {
  readonly namespace: string;
  readonly name: string;
  readonly path: string;
  readonly port: unknown;
}

function serviceOf(raw: Readonly<Record<string, unknown>>): ServiceReference {
  const given = valueAt(raw, ['clientConfig', 'service']);
  const service = isRecord(given) ? given : {};
  const text = (member: string): string => String(service[member]);
  return { namespace: text('namespace'), name: text('name'), path: text('path'), port: service['port'] ?? 443 };
}

/** A second pass must change nothing, shown on the kind's own samples; the API server may call a mutator again. */
function* reinvocation({ raw, mutating }: RenderedHook, { kinds }: LintInput): Generator<Problem> {
  if (!mutating || raw['reinvocationPolicy'] !== 'IfNeeded') return;
  const kind = kinds.find(({ hooks }) => hooks.some((hook) => hook.name === raw['name']));
  const idempotent = kind?.samples
    .filter((sample) => sample.kind === kind.type.kind)
    .every((sample) => kind.isIdempotentOn?.(sample) !== false);
  if (idempotent !== true) yield ['L13', 'reinvocationPolicy IfNeeded, and a second pass changes its own result'];
}

/** Kinds without exactly one validating row for creating and updating, and mutators without it: L21. */
export function lintHookTable({ kinds }: LintInput): readonly LintFinding[] {
  return kinds.flatMap(({ type, hooks }) => {
    const validating = hooks.filter(({ phase }) => phase === 'validate');
    const [row] = validating;
    const complete = validating.length === 1 && row?.operations.join() === 'CREATE,UPDATE';
    const object = `Kind ${type.kind}`;
    if (complete) return [];
    const mutates = hooks.some(({ phase }) => phase === 'mutate') ? ', and its mutator has no partner' : '';
    return [{ rule: 'L21', object, problem: `it needs exactly one validating row for CREATE and UPDATE${mutates}` }];
  });
}

/** Records of a list; nothing where there is none. */
export function recordsIn(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function textsIn(rules: readonly Readonly<Record<string, unknown>>[], member: string): readonly string[] {
  return rules.flatMap((rule) => {
    const texts = rule[member];
    return Array.isArray(texts) ? texts.map(String) : [];
  });
}
