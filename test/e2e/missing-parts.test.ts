import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { kubeconfigText } from '../controlplane/api-access.ts';
import { freePorts } from '../controlplane/free-ports.ts';
import { OwnedProcesses } from '../controlplane/owned-processes.ts';
import { startControlPlane } from '../controlplane/start.ts';
import { fill, NAMESPACE, readinessSays, servingPair, startLoneService, warns } from './harness-lone-service.ts';

// What a cluster may lack: each is named, and mended without a restart. In the order in which somebody would install it.

const plane = await startControlPlane();
const group = await OwnedProcesses.open('homeostat-missing-parts');
after(async () => {
  await group.close();
  await group.removeFolder();
  await plane.close();
});
const at = (name: string): string => join(group.folder, name);
const certificates = at('certs');
const { certificate, key, authority } = await servingPair();
await fill(certificates, { 'tls.crt': certificate, 'tls.key': key, 'ca.crt': authority });
/** Applies files and folders of manifests; `-f` would take a folder's kustomization for one more object. */
const apply = async (...names: readonly string[]): Promise<void> => {
  for (const name of names) {
    const how = existsSync(`manifests/${name}/kustomization.yaml`) ? '-k' : '-f';
    await plane.kubectl(['apply', how, `manifests/${name}`]);
  }
};

/** A copy of the administrator's kubeconfig with other text in it. */
async function kubeconfig(name: string, from: string, to: string): Promise<string> {
  await writeFile(at(name), (await readFile(plane.kubeconfig, 'utf8')).replaceAll(from, to));
  return at(name);
}

test('missing definitions are named by kind, and taken up when they are installed', async () => {
  const service = await startLoneService(group, { name: 'undefined', kubeconfig: plane.kubeconfig, certificates });
  await readinessSays(service, /^\[!]caches: .*cannot watch Environment: .*install its CustomResourceDefinition/);
  const warning = /"kind":"Environment","resource":"environments.homeostat.io","verb":"watch".*install its CustomRes/;
  await warns(service, warning);
  await apply('crd');
  await readinessSays(service, /^\[\+]caches ok/);
  assert.equal(await service.stop(), 0);
});

// A missing right of a single step: environment.test.ts.
test('missing rights are named by kind and verb, nothing is lost, and all goes on when they are given', async () => {
  await apply('manager/namespace-homeostat-system.yaml', 'rbac');
  // The type of generated ClusterRoles.
  const role = JSON.parse((await plane.kubectl(['get', 'clusterrole', 'homeostat', '-o', 'json'])).stdout) as {
    readonly rules: readonly { readonly resources: readonly string[] }[];
  };
  const setRules = async (rules: unknown) =>
    plane.kubectl(['patch', 'clusterrole', 'homeostat', '--type=merge', '-p', JSON.stringify({ rules })]);
  const without = (plural: string) =>
    role.rules
      .map((rule) => ({ ...rule, resources: rule.resources.filter((name) => name !== plural) }))
      .filter(({ resources }) => resources.length > 0);
  await setRules(without('networkpolicies'));
  await plane.kubectl(['delete', 'rolebinding', 'homeostat-leader-election', '-n', NAMESPACE]);
  await plane.kubectl(['create', 'namespace', 'team-a']);
  await apply('samples');
  const service = await startLoneService(group, {
    name: 'powerless',
    kubeconfig: await plane.serviceAccountKubeconfig(NAMESPACE, 'homeostat'),
    certificates,
  });
  const refused = /cannot watch NetworkPolicy: .*cannot watch resource \\*"networkpolicies\\*".* grant list and watch/;
  await readinessSays(service, new RegExp(`^\\[!]caches: .*${refused.source}`));
  await warns(service, /"kind":"NetworkPolicy".*"verb":"watch".*cannot watch resource .*grant list and watch on it/);
  await readinessSays(service, /^\[!]leader-election: the lease cannot be taken: .*cannot get resource "leases"/);
  await apply('rbac/rolebinding-homeostat-leader-election.yaml');
  await readinessSays(service, /^\[\+]leader-election ok/);
  await setRules(role.rules);
  await readinessSays(service, /^\[\+]caches ok/);
  await plane.kubectl(['wait', 'env/dev', '-n', 'team-a', '--for=condition=Ready', '--timeout=60s']);
  assert.equal((await service.get('/readyz')).code, 200);
  assert.equal(await service.stop(), 0);
});

test('an API server that is away is waited for', async () => {
  const [port = 0] = await freePorts(1);
  const away = await kubeconfig('away', plane.server, `https://127.0.0.1:${port}`);
  const service = await startLoneService(group, { name: 'waiting', kubeconfig: away, certificates });
  const sentence = `cannot watch Environment: .*no answer from https://127\\.0\\.0\\.1:${port}: .*ECONNREFUSED`;
  await readinessSays(service, new RegExp(`^\\[!]caches: .*${sentence}.*does not answer; waiting`));
  const sockets = new Set<Socket>();
  const relay = createServer((client) => {
    const server = connect(Number(new URL(plane.server).port), '127.0.0.1');
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      sockets.add(socket.on('error', () => other.destroy()));
      socket.pipe(other);
    }
  }).listen(port, '127.0.0.1');
  await once(relay, 'listening');
  await readinessSays(service, /^\[\+]caches ok/);
  assert.equal(await service.stop(), 0);
  for (const socket of sockets) socket.destroy();
  relay.close();
});

test('an API server whose certificate another authority signed gets no request, until that authority is named', async () => {
  const file = at('authority.pem');
  await writeFile(file, authority);
  const config = JSON.parse(await readFile(plane.kubeconfig, 'utf8')) as {
    readonly clusters: [{ cluster: Record<string, string> }];
  };
  config.clusters[0].cluster = { server: plane.server, 'certificate-authority': file };
  await writeFile(at('untrusting'), JSON.stringify(config));
  const service = await startLoneService(group, { name: 'untrusting', kubeconfig: at('untrusting'), certificates });
  await readinessSays(service, /^\[!]caches: .*cannot watch Environment: .* is not trusted: .*certificate-authority/);
  await warns(service, /The API server is not trusted; name the authority/);
  await writeFile(file, plane.ca);
  await readinessSays(service, /^\[\+]caches ok/, 150_000);
  assert.equal(await service.stop(), 0);
});

test('a token that the API server does not know is told from a missing right', async () => {
  await writeFile(at('stranger'), kubeconfigText({ server: plane.server, ca: plane.ca, token: 'nobody' }));
  const service = await startLoneService(group, { name: 'stranger', kubeconfig: at('stranger'), certificates });
  await readinessSays(service, /^\[!]caches: .*cannot watch Environment: .*401 Unauthorized.*renew the credential/);
  assert.equal(await service.stop(), 0);
});
