import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { kubeconfigText } from '../controlplane/api-access.ts';
import { freePorts } from '../controlplane/free-ports.ts';
import { OwnedProcesses } from '../controlplane/owned-processes.ts';
import { parseStrictJson } from '../support/strict-json.ts';
import {
  fill,
  homeostat,
  readinessSays,
  servingPair,
  startLoneService,
  warns,
  WEBHOOK_NAME,
} from './harness-lone-service.ts';

// What a person may give the service wrongly, as far as no cluster is needed to see it. Command lines: test/unit/cli; what a
// cluster may lack: missing-parts.test.ts.

const group = await OwnedProcesses.open('homeostat-bad-input');
after(async () => {
  await group.close();
  await group.removeFolder();
});
const at = (name: string): string => join(group.folder, name);

const authority = await servingPair(['localhost']);
const [deadPort = 0] = await freePorts(1);
const cluster = { server: `https://127.0.0.1:${deadPort}`, ca: authority.authority, token: 't' };
await writeFile(at('config'), kubeconfigText(cluster));

for (const [args, code, sentence] of [
  [['run', '--webhok-port=1'], 2, /^error: Unknown flag --webhok-port; did you mean --webhook-port\?\n$/],
  [
    ['run', `--kubeconfig=${at('absent')}`],
    1,
    /^error: The kubeconfig \S+ cannot be used: there is no such file\. .*\n$/,
  ],
] as const) {
  test(`homeostat ${args.join(' ').replaceAll(group.folder, '')} ends with ${code} and one sentence`, async () => {
    const ended = await homeostat(args, group.folder);
    assert.deepEqual([ended.code, ended.stdout], [code, '']);
    assert.match(ended.stderr, sentence);
  });
}

for (const flag of ['webhook-port', 'health-port', 'metrics-port']) {
  test(`with the port of --${flag} taken the service ends, and its last log line names port and flag`, async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    // A server that listens on TCP has an AddressInfo.
    const { port } = holder.address() as AddressInfo;
    const flags = ['webhook-port', 'health-port', 'metrics-port'].map(
      (name) => `--${name}=${name === flag ? port : 0}`,
    );
    const hosts = ['--webhook-host=127.0.0.1', '--health-host=127.0.0.1'];
    const ended = await homeostat(['run', `--kubeconfig=${at('config')}`, ...flags, ...hosts], group.folder);
    holder.close();
    assert.deepEqual([ended.code, ended.stderr], [1, '']);
    const line = parseStrictJson(ended.stdout.trimEnd().split('\n').at(-1) ?? '');
    assert.partialDeepStrictEqual(line, { level: 'error', msg: 'The service ended', code: 'HOMEOSTAT_PORT_TAKEN' });
    assert.match(JSON.stringify(line), new RegExp(`port ${port} .*taken by another process.*--${flag}`, 'i'));
  });
}

test('without a usable certificate the Pod stays unready and says why, until a good one comes', async () => {
  const folder = at('certificates');
  const files = async (...parameters: Parameters<typeof servingPair>) => {
    const { certificate, key, authority } = await servingPair(...parameters);
    return { 'tls.crt': certificate, 'tls.key': key, 'ca.crt': authority };
  };
  const good = await files();
  const service = await startLoneService(group, { name: 'certified', kubeconfig: at('config'), certificates: folder });
  await readinessSays(
    service,
    /^\[-]certificate failed: .*\/certificates holds no tls\.crt and tls\.key yet; the Secret/,
  );
  for (const [bad, sentence] of [
    [await files([WEBHOOK_NAME], { ageMs: 9e8, validForMs: 1e8 }), /\/certificates expired at .*; renew it/],
    [{ ...good, 'tls.key': (await files())['tls.key'] }, /key in .*\/certificates does not belong to the certificate/],
    [
      await files(['elsewhere.example']),
      /is not valid for homeostat-webhook\.homeostat-system\.svc, only for elsewhere/,
    ],
    [{ ...good, 'tls.crt': 'no PEM' }, /Reading the certificate in .*\/certificates failed: .*it must be PEM/],
  ] as const) {
    await fill(folder, bad);
    await readinessSays(service, new RegExp(`^\\[-]certificate failed: .*${sentence.source}`));
    await warns(service, sentence);
    assert.equal((await service.get('/readyz')).code, 503);
  }
  await fill(folder, good);
  await readinessSays(service, /^\[\+]certificate ok/);
  await readinessSays(service, /^\[\+]webhooks ok/);
  await fill(folder, { ...good, 'tls.key': (await files())['tls.key'] });
  await warns(service, /does not belong to the certificate/, 2);
  await readinessSays(service, /^\[\+]webhooks ok/);
  assert.equal(await service.stop(), 0);
});

test('a port on which nobody listens is named, and the service waits', async () => {
  const service = await startLoneService(group, { name: 'alone', kubeconfig: at('config'), certificates: at('none') });
  const sentence = `cannot watch Environment: .* got no answer from https://127\\.0\\.0\\.1:${deadPort}: .*ECONNREFUSED`;
  await readinessSays(service, new RegExp(`^\\[!]caches: .*${sentence}.*The API server does not answer; waiting`));
  await readinessSays(service, /^\[!]leader-election: the lease cannot be taken: .*ECONNREFUSED/);
  assert.equal(await service.stop(), 0);
});
