import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { isRecord } from '../../src/base/json.ts';
import { kinds } from '../../src/kinds/index.ts';
import { writeVerbs } from '../controlplane/audit-log.ts';
import { deploy } from './harness.ts';
import { type Ended, homeostat } from './harness-lone-service.ts';
import { Scenario } from './scenario.ts';

// The service tells of a broken registration too, in its own time; here is who says it at once.
const deployment = await deploy({ takesRights: true, flags: { 'hook-check': '0s', 'shutdown-delay': '0s' } });
const { plane } = deployment;
const the = new Scenario(deployment);
after(async () => deployment.close());

const verify = (...flags: readonly string[]): Promise<Ended> =>
  homeostat(['verify', `--kubeconfig=${plane.kubeconfig}`, ...flags], plane.folder);

/** The one sentence at the end. */
async function verdict(): Promise<string> {
  const { code, stdout } = await verify();
  const last = stdout.trimEnd().split('\n').at(-1) ?? '';
  assert.equal(code, last === 'All is well.' ? 0 : 1);
  return last;
}

const VALIDATING = ['validatingwebhookconfiguration', 'homeostat'];

const patchHook = (path: string, value: string | number): Promise<string> =>
  the.kubectl('patch', ...VALIDATING, '--type=json', '-p', JSON.stringify([{ op: 'replace', path, value }]));

test('a fresh installation is well, with one allow and one refusal of each kind', async () => {
  const { code, stdout, stderr } = await verify('--wait=60s', '-o', 'json');
  assert.deepEqual([code, stderr], [0, ''], stdout);
  const report: unknown = JSON.parse(stdout);
  assert.ok(isRecord(report) && report['well'] === true && Array.isArray(report['findings']));
  const answers = report['findings'].filter(isRecord).filter(({ joint }) => joint === 'answers');
  assert.deepEqual(
    answers.map(({ subject, state }) => [subject, state]),
    kinds.map(({ type }) => [type.kind, 'well']),
  );
  const own = kinds.map(({ type }) => `${type.plural}.${type.group}`).join(',');
  assert.equal(await the.kubectl('get', own, '-A', '-o', 'name'), '');
});

test('the account of the verify Job has the rights for it, and stores nothing', async () => {
  await the.kubectl('apply', '-f', 'manifests/operate/verify.yaml');
  const account = await plane.serviceAccountKubeconfig(deployment.manifests.namespace, 'homeostat-verify');
  const { code, stdout, stderr } = await homeostat(['verify', `--kubeconfig=${account}`], plane.folder);
  assert.deepEqual([code, stderr], [0, ''], stdout);
  const entries = await plane.auditEntries({
    user: `system:serviceaccount:${deployment.manifests.namespace}:homeostat-verify`,
  });
  const stored = entries.filter(
    ({ verb, requestURI }) => writeVerbs.includes(verb) && !/[?&]dryRun=All/.test(requestURI),
  );
  assert.deepEqual(stored, []);
  assert.ok(entries.length > 2 * kinds.length);
  const strangers = await homeostat(['verify', `--kubeconfig=${await strangersKubeconfig()}`], plane.folder);
  assert.match(
    strangers.stdout,
    /^Broken: definitions\. .*You may not get customresourcedefinitions\.apiextensions\.k8s\.io/m,
  );
});

/** Of somebody who may nothing. */
async function strangersKubeconfig(): Promise<string> {
  return plane.serviceAccountKubeconfig('default', 'default');
}

test('an edited hook, a foreign caBundle and a stopped service are each named, with what to do', async () => {
  await patchHook('/webhooks/0/failurePolicy', 'Ignore');
  assert.match(
    await verdict(),
    /^Broken: registration\. ValidatingWebhookConfiguration homeostat: .*failurePolicy\. Apply the manifests/,
  );
  await deployment.applyManifests();
  const foreign = Buffer.from('-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----\n').toString('base64');
  await the.kubectl('annotate', ...VALIDATING, 'cert-manager.io/inject-ca-from-');
  await patchHook('/webhooks/0/clientConfig/caBundle', foreign);
  assert.match(
    await verdict(),
    /^Broken: certificate\. ValidatingWebhookConfiguration homeostat: The caBundle of 1 of \d+ hooks/,
  );
  await deployment.applyManifests();
});

test('an older definition, a missing role and a missing configuration are named', async () => {
  const older = [{ op: 'remove', path: '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/settings' }];
  await the.kubectl('patch', 'crd', 'teamconfigs.homeostat.io', '--type=json', '-p', JSON.stringify(older));
  assert.match(await verdict(), /^Broken: definitions\. teamconfigs\.homeostat\.io: It is of another version/);
  await deployment.applyManifests();
  await the.kubectl('delete', 'clusterrolebinding', 'homeostat');
  assert.match(await verdict(), /^Broken: rights\. ClusterRoleBinding homeostat: .* does not exist/);
  await deployment.applyManifests();
  await the.kubectl('delete', ...VALIDATING);
  assert.match(await verdict(), /^Broken: registration\. ValidatingWebhookConfiguration homeostat: .* does not exist/);
  await deployment.applyManifests();
  const { code, stdout } = await verify('--wait=60s');
  assert.equal(code, 0, stdout);
});

test('where nobody answers, the first kind that cannot be sent is named, and a wait ends with its time', async () => {
  await Promise.all(deployment.replicas.map(async (replica) => replica.stop()));
  const { code, stdout, stderr } = await verify('--wait=8s');
  assert.equal(code, 1);
  assert.match(
    stdout,
    /^Broken: answers\. ClusterConfig: The API server could not call .*: nobody answers behind the Service\./m,
  );
  assert.match(stderr, /^Waiting\. Broken: answers/);
  await deployment.scaleUp();
  assert.equal((await verify('--wait=60s')).code, 0);
});
