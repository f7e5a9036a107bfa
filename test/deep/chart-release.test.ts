import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { toolProgram } from '../controlplane/program-path.ts';
import { startControlPlane } from '../controlplane/start.ts';

const chart = join(import.meta.dirname, '..', '..', 'manifests', 'chart');
const plane = await startControlPlane();
after(async () => plane.close());
const program = await toolProgram('helm');

// No kubelet runs the Pods here, so that no release waits for them.
const helm = async (...args: readonly string[]): Promise<string> => {
  const where = ['--namespace', 'homeostat-system', '--kubeconfig', plane.kubeconfig];
  const { stdout } = await promisify(execFile)(program, [...args, ...where], {
    env: { PATH: process.env['PATH'], HOME: plane.folder },
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout;
};
const selfManaged = ['--set', 'certificates.mode=self-managed', '--set', 'networkPolicy.enabled=true'];
const secret = ['secret', 'homeostat-webhook-self-managed', '-n', 'homeostat-system'];
const names = async (...resources: readonly string[]): Promise<readonly string[]> => {
  const { stdout } = await plane.kubectl(['get', resources.join(','), '-n', 'homeostat-system', '-o', 'name']);
  return stdout.split('\n').filter((line) => line.includes('homeostat'));
};

test('a release is installed, sharded, brought back and removed; its definitions and their objects stay', async () => {
  await helm('install', 'homeostat', chart, '--create-namespace', ...selfManaged);
  assert.deepEqual(await names('deployments'), ['deployment.apps/homeostat']);

  await plane.kubectl(['patch', ...secret, '--type=merge', '-p', '{"stringData":{"tls.crt":"made by the service"}}']);
  await helm('upgrade', 'homeostat', chart, ...selfManaged, '--set-json', 'stages=["dev"]');
  assert.deepEqual(await names('deployments'), ['deployment.apps/homeostat', 'deployment.apps/homeostat-stage-dev']);

  await helm('upgrade', 'homeostat', chart, ...selfManaged);
  assert.deepEqual(await names('deployments'), ['deployment.apps/homeostat']);
  // The Secret is shipped empty, and an upgrade must not empty it again.
  assert.match((await plane.kubectl(['get', ...secret, '-o', 'jsonpath={.data}'])).stdout, /tls\.crt/);

  // No Pod answers here.
  await plane.kubectl(['delete', 'mutatingwebhookconfiguration,validatingwebhookconfiguration', 'homeostat']);
  const config = {
    apiVersion: 'homeostat.io/v1alpha1',
    kind: 'ClusterConfig',
    metadata: { name: 'default' },
    spec: {},
  };
  await plane.kubectl(['create', '-f', '-'], { stdin: JSON.stringify(config) });
  await helm('uninstall', 'homeostat');
  const left = await names(
    'deployments',
    'services',
    'serviceaccounts',
    'roles',
    'networkpolicies',
    'clusterroles',
    'clusterrolebindings',
    'mutatingwebhookconfigurations',
    'validatingwebhookconfigurations',
  );
  assert.deepEqual(left, []);
  const { stdout } = await plane.kubectl(['get', 'clusterconfig', 'default', '-o', 'name']);
  assert.match(stdout, /clusterconfig\.homeostat\.io\/default/);
});

test('definitions that were left are taken over by the next release', async () => {
  await helm('install', 'homeostat', chart, '--create-namespace', ...selfManaged);
  assert.match(await helm('list', '-o', 'json'), /"status":"deployed"/);
});

test('what the API server stores is what the chart says: no field is unknown, none is dropped', async () => {
  const manifest = await helm('get', 'manifest', 'homeostat');
  const { stdout } = await plane.kubectl(
    [
      'apply',
      '--server-side',
      '--force-conflicts',
      '--validate=strict',
      '--dry-run=server',
      '-n',
      'homeostat-system',
      '-f',
      '-',
    ],
    { stdin: manifest },
  );
  assert.match(stdout, /deployment\.apps\/homeostat serverside-applied/);
});
