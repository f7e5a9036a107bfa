import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Manifest } from '../../src/base/object.ts';
import { eventually } from '../support/eventually.ts';
import { Scenario } from './scenario.ts';
import { CLUSTER_ID, deployWithVault } from './vault-scene.ts';

const vaulted = await deployWithVault('5s');
const { deployment, vault } = vaulted;
const the = new Scenario(deployment);
after(async () => vaulted.close());

const HOOK = 'inject.pods.vaultapps.homeostat.io';

/** A Pod, or the template of one, that the level restricted admits. */
function podSpec(): object {
  return {
    serviceAccountName: 'app',
    securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    containers: [
      {
        name: 'main',
        image: 'example.org/app',
        securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
      },
    ],
  };
}

function aPod(name: string, annotations: Readonly<Record<string, string>>): Manifest {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'team-a', annotations }, spec: podSpec() };
}

/** A sample of the replica that runs. */
async function metric(sample: string): Promise<number> {
  const running = deployment.replicas.find(({ process }) => process.isRunning());
  if (running === undefined) throw new Error('No replica runs');
  return running.metric(sample);
}

function calls(): Promise<number> {
  return metric(`homeostat_admission_verdicts_total{hook="${HOOK}",operation="CREATE",verdict="allow"}`);
}

test('the Pods of a Deployment get variables and a token, in a namespace of level restricted', async () => {
  const labels = {
    tier: 'team',
    'homeostat.io/injection': 'enabled',
    'pod-security.kubernetes.io/enforce': 'restricted',
  };
  await the.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team-a', labels } });
  const files = ['clusterconfig', 'vaultpolicy', 'vaultapp'];
  await the.kubectl('apply', ...files.flatMap((name) => ['-f', `manifests/samples/${name}.yaml`]));
  await the.kubectl('create', 'serviceaccount', 'app', '-n', 'team-a');
  await the.becomes('True', '{.status.conditions[?(@.type=="Ready")].status}', ['va', 'app', '-n', 'team-a']);
  const app = { app: 'web' };
  await the.apply({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'team-a' },
    spec: {
      replicas: 2,
      selector: { matchLabels: app },
      template: { metadata: { labels: app, annotations: { 'homeostat.io/inject-vault': 'app' } }, spec: podSpec() },
    },
  });
  const env = '{range .items[*]}{.spec.containers[0].env[?(@.name=="VAULT_ROLE")].value}{" "}{end}';
  const role = `${CLUSTER_ID}.team-a.app`;
  await eventually('two Pods with their role', async () => {
    const roles = await the.kubectl('get', 'pods', '-n', 'team-a', '-l', 'app=web', '-o', `jsonpath=${env}`);
    return roles === `${role} ${role}`;
  });
  const audience = '{.items[0].spec.volumes[*].projected.sources[*].serviceAccountToken.audience}';
  const audiences = await the.kubectl('get', 'pods', '-n', 'team-a', '-l', 'app=web', '-o', `jsonpath=${audience}`);
  assert.match(audiences, /\bvault\b/);
});

test('P6: the hook is not called for a Pod that does not ask, nor in a namespace that has not opted in', async () => {
  const before = await calls();
  await the.apply(aPod('plain', {}));
  await the.kubectl('create', 'namespace', 'elsewhere');
  const asking = aPod('asking', { 'homeostat.io/inject-vault': 'app' });
  await the.kubectl('create', 'serviceaccount', 'app', '-n', 'elsewhere');
  await the.apply({ ...asking, metadata: { ...asking.metadata, namespace: 'elsewhere' } });
  assert.equal(await calls(), before);
});

test('P12: a Pod that names no app is created as it is, with a warning', async () => {
  const { stderr } = await the.apply(aPod('lost', { 'homeostat.io/inject-vault': 'nobody' }));
  assert.match(stderr, /Warning: homeostat\.io\/inject-vault: VaultApp "nobody" does not exist in namespace "team-a"/);
  assert.equal(await the.value('{.spec.containers[0].env}', 'pod', 'lost', '-n', 'team-a'), '');
});

test('P1: without the hook Pods are created, and once it is back the missed one has an Event and is counted', async () => {
  for (const replica of deployment.replicas) await replica.stop();
  await the.apply(aPod('missed', { 'homeostat.io/inject-vault': 'app' }));
  assert.equal(await the.value('{.spec.containers[0].env}', 'pod', 'missed', '-n', 'team-a'), '');
  await deployment.scaleUp();
  await eventually('the gauge', async () => (await metric('homeostat_injection_pods{state="missing"}')) === 1);
  await eventually('the Event', async () => {
    const told = '{range .items[*]}{.reason}/{.involvedObject.kind}/{.involvedObject.name} {end}';
    const events = await the.kubectl('get', 'events', '-n', 'team-a', '-o', `jsonpath=${told}`);
    return events.includes('InjectionMissing/Pod/missed');
  });
  await the.kubectl('delete', 'pod', 'missed', '-n', 'team-a', '--grace-period=0', '--force');
  await eventually('the gauge to fall', async () => (await metric('homeostat_injection_pods{state="missing"}')) === 0);
});

test('P9: Pods whose VaultApp has changed are counted', async () => {
  const patch = JSON.stringify({ spec: { audience: 'https://vault.example.org' } });
  await the.kubectl('patch', 'va', 'app', '-n', 'team-a', '--type=merge', '-p', patch);
  await eventually('two stale Pods', async () => (await metric('homeostat_injection_pods{state="stale"}')) === 2);
  assert.equal((await vault.request('GET', 'sys/health')).status, 200);
});
