import assert from 'node:assert/strict';
import { chown, mkdir, readdir, readFile, readlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { parseAllDocuments } from 'yaml';
import type { Manifest } from '../../src/base/object.ts';
import { freePorts } from '../controlplane/free-ports.ts';
import { OwnedProcesses } from '../controlplane/owned-processes.ts';
import { type ControlPlane, startControlPlane } from '../controlplane/start.ts';
import { ServiceAddress } from '../e2e/harness-service.ts';
import { withFlags } from '../e2e/harness-manifests.ts';
import { eventually } from '../support/eventually.ts';
import { type BuiltImage, ImageBuilder } from './image-builder.ts';
import { type Container, type ContainerOptions, runContainer, startContainer } from './image-container.ts';

const builder = await ImageBuilder.open();
const group = await OwnedProcesses.open('homeostat-containers');
after(async () => {
  await group.close();
  await group.removeFolder();
  await builder.close();
});

let image: BuiltImage;
let root = '';
before(async () => {
  image = await builder.build('homeostat');
  root = await builder.unpack('homeostat');
});

const NAMESPACE = 'homeostat-system';
/** Where /var/run/secrets leads in the image; taken from outside, that link would lead out of it. */
const CREDENTIALS = '/run/secrets/kubernetes.io/serviceaccount';

const inImage = (options: Partial<ContainerOptions>): ContainerOptions => ({ root, config: image.config, ...options });

test('the image is below 200 MB compressed', () => {
  const megabytes = image.layers.reduce((sum, { size }) => sum + size, 0) / 1_000_000;
  process.stdout.write(`image: ${megabytes.toFixed(1)} MB compressed\n`);
  assert.ok(megabytes < 200, `${megabytes} MB`);
});

test('it runs as a numeric user without rights, holds the built service and nothing of the host that built it', async () => {
  assert.equal(image.config.config.User, '65532:65532');
  assert.deepEqual((await readdir(join(root, 'app'))).toSorted(), ['dist', 'node_modules', 'package.json']);
  const secrets = await readdir(join(root, 'run', 'secrets')).catch(() => []);
  assert.deepEqual(secrets, []);
  const packages = await readdir(join(root, 'app', 'node_modules'));
  assert.ok(!packages.some((name) => ['typescript', 'oxlint', 'knip', 'fast-check'].includes(name)));
  const otel = await readdir(join(root, 'app', 'node_modules', '@opentelemetry'));
  assert.deepEqual(otel, ['api']);
});

for (const memoryMi of [256, 384, 1024]) {
  test(`in a container of ${memoryMi} MiB the heap ends before the memory does`, async () => {
    const config = { config: { ...image.config.config, Entrypoint: ['node'] } };
    const command = ['-p', 'require("node:v8").getHeapStatistics().heap_size_limit / 1048576'];
    const options = inImage({ config, command, memoryMi });
    const heapMi = Number(await runContainer(group, `heap-${memoryMi}`, options));
    assert.ok(heapMi > 0.7 * memoryMi && heapMi < 0.85 * memoryMi, `${heapMi} of ${memoryMi} MiB`);
  });
}

test('its service installs, answers reviews and reconciles as process 1 with nothing but its root, and ends when asked', async () => {
  const plane = await startControlPlane();
  let ready = (): boolean => false;
  const [webhook = 0, health = 0, metrics = 0] = await freePorts(3);
  const service = await ServiceAddress.open(() => [{ port: webhook, isReady: () => ready() }]);
  try {
    const args = await install(plane, service.address);
    const flags = { 'webhook-port': webhook, 'health-port': health, 'metrics-port': metrics, 'shutdown-delay': '0s' };
    const server = new URL(plane.server);
    const container = await startContainer(
      group,
      'service',
      inImage({
        command: withFlags(args, flags),
        mounts: { [await credentials(plane)]: CREDENTIALS },
        env: {
          POD_NAME: 'homeostat-0',
          POD_NAMESPACE: NAMESPACE,
          KUBERNETES_SERVICE_HOST: server.hostname,
          KUBERNETES_SERVICE_PORT: server.port,
        },
        memoryMi: 384,
      }),
    );
    await group.whileRunning([container.process], 'the service to be ready', async () =>
      fetch(`http://127.0.0.1:${health}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      ),
    );
    ready = () => container.process.isRunning();
    await isFirstAndUnprivileged(container);
    await convergesSamples(plane);
    process.kill(container.pid, 'SIGTERM');
    assert.equal(await container.process.exited, 0);
    assert.match(await readFile(container.process.log, 'utf8'), /"phase":"operations","msg":"Stopped"/);
  } finally {
    await service.close();
    await plane.close();
  }
});

/** Applies what the image itself renders, the Service replaced by a name that leads here. Gives the arguments of the Deployment. */
async function install(plane: ControlPlane, address: string): Promise<readonly string[]> {
  const text = await runContainer(
    group,
    'manifests',
    inImage({ command: ['manifests', '--certificates=self-managed'] }),
  );
  // The project's own output; what is read of it is checked by use.
  const rendered = parseAllDocuments(text).map((document) => document.toJS() as Manifest);
  const items = rendered.map((object) =>
    object.kind === 'Service' && object.metadata.name === 'homeostat-webhook'
      ? { ...object, spec: { type: 'ExternalName', externalName: address, ports: [{ port: 443 }] } }
      : object,
  );
  await plane.kubectl(['apply', '--server-side', '-f', '-'], {
    stdin: JSON.stringify({ apiVersion: 'v1', kind: 'List', items }),
  });
  const deployment = rendered.find(({ kind }) => kind === 'Deployment');
  // A Deployment of our own rendering.
  const spec = deployment?.['spec'] as
    | { readonly template: { readonly spec: { readonly containers: readonly { readonly args: readonly string[] }[] } } }
    | undefined;
  return spec?.template.spec.containers[0]?.args ?? [];
}

/** A folder as the kubelet mounts it, for the image's user. */
async function credentials(plane: ControlPlane): Promise<string> {
  const folder = join(group.folder, 'credentials');
  await mkdir(folder);
  const token = await plane.serviceAccountToken(NAMESPACE, 'homeostat');
  for (const [name, text] of Object.entries({ token, namespace: NAMESPACE, 'ca.crt': plane.ca })) {
    await writeFile(join(folder, name), text, { mode: 0o400 });
    await chown(join(folder, name), 65_532, 65_532);
  }
  return folder;
}

async function isFirstAndUnprivileged({ pid }: Container): Promise<void> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  assert.match(await readlink(`/proc/${pid}/exe`), /\/usr\/local\/bin\/node$/);
  assert.match(status, /^NSpid:\s+\d+\s+1$/m);
  assert.match(status, /^Uid:\s+65532\s+65532\s+65532\s+65532$/m);
  assert.match(status, /^CapEff:\s+0+$/m);
}

async function convergesSamples(plane: ControlPlane): Promise<void> {
  // The webhooks are trusted as soon as the service has written its authority into their configurations.
  await eventually('the samples to be taken', async () => {
    const { code } = await plane.kubectl(['apply', '-f', 'manifests/samples'], { mayFail: true });
    return code === 0;
  });
  await plane.kubectl(['wait', '--for=condition=Ready', 'environments', '--all', '-A', '--timeout=60s']);
}
