import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isRecord } from '../../../src/base/json.ts';
import { BackupScene, SPEC } from './databasebackup-scene.ts';

interface Container {
  readonly name: string;
  readonly image: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env: readonly { readonly name: string; readonly value?: string; readonly valueFrom?: object }[];
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
  readonly securityContext: object;
}

interface Pod {
  readonly initContainers: readonly Container[];
  readonly containers: readonly Container[];
  readonly volumes: readonly { readonly name: string; readonly [source: string]: unknown }[];
  readonly automountServiceAccountToken: boolean;
  readonly serviceAccountName: string;
  readonly nodeSelector?: object;
  readonly securityContext: object;
}

/** The Pod of the CronJob that this spec comes to, and its two containers. */
async function podOf(
  spec: object = {},
): Promise<{ readonly pod: Pod; readonly dump: Container; readonly store: Container }> {
  const scene = new BackupScene(spec);
  await scene.passes();
  const cronJob: unknown = ['spec', 'jobTemplate', 'spec', 'template', 'spec'].reduce<unknown>(
    (value, member) => (isRecord(value) ? value[member] : undefined),
    scene.cronJob,
  );
  const pod = cronJob as Pod;
  const [dump = assert.fail()] = pod.initContainers;
  const [store = assert.fail()] = pod.containers;
  return { pod, dump, store };
}

const engine = (name: string, more: object = {}): object => ({ database: { ...SPEC.database, engine: name, ...more } });

test('B4: the dump container of PostgreSQL ends at the first failure, of a pipe too, and reads its archive to the end', async () => {
  const { dump } = await podOf();
  assert.deepEqual(dump.command, [
    'bash',
    '-o',
    'errexit',
    '-o',
    'nounset',
    '-o',
    'pipefail',
    '-c',
    [
      'umask 077',
      'date -u +%s > "$STARTED_FILE"',
      String.raw`quoted() { sed -e 's/[\\:]/\\&/g' "$CREDENTIALS/$1"; }`,
      String.raw`printf '*:*:*:%s:%s\n' "$(quoted username)" "$(quoted password)" > "$PRIVATE/pgpass"`,
      'export PGPASSFILE="$PRIVATE/pgpass" PGUSER="$(cat "$CREDENTIALS/username")"',
      'pg_dump --no-password --format=custom > "$DUMP_FILE.part"',
      'test -s "$DUMP_FILE.part"',
      'pg_restore --file=/dev/null "$DUMP_FILE.part"',
      'mv "$DUMP_FILE.part" "$DUMP_FILE"',
      '',
    ].join('\n'),
  ]);
});

for (const [name, program, tls] of [
  ['mysql', 'mysqldump', '--ssl-mode=REQUIRED'],
  ['mariadb', 'mariadb-dump', '--ssl --skip-ssl-verify-server-cert'],
] as const) {
  test(`B4: the dump container of ${name} pipes its dump on, and looks for the line that ends it`, async () => {
    const { dump } = await podOf(engine(name));
    const script = dump.command?.at(-1) ?? '';
    assert.ok(
      script.includes(`${program} --defaults-extra-file="$PRIVATE/client.cnf" --host="$DATABASE_HOST"`),
      script,
    );
    assert.ok(script.includes(tls) && script.includes('-- "$DATABASE_NAME" | gzip > "$DUMP_FILE.part"'), script);
    assert.match(
      script,
      /gzip --test "\$DUMP_FILE\.part"\ngzip --decompress --stdout "\$DUMP_FILE\.part" \| tail -n 1 \| grep '\^-- Dump completed'\nmv "\$DUMP_FILE\.part" "\$DUMP_FILE"\n$/,
    );
  });
}

test('what a person wrote stands in no script', async () => {
  for (const name of ['postgres', 'mysql', 'mariadb']) {
    const { dump } = await podOf(engine(name, { host: 'evil.example', name: 'evil_db', port: 7 }));
    assert.doesNotMatch(dump.command?.join(' ') ?? '', /evil/);
    assert.match(JSON.stringify(dump.env), /evil\.example.*evil_db|evil_db.*evil\.example/);
  }
});

test('user and password of the database come as files, those of the bucket by reference, and neither through this service', async () => {
  const { pod, dump, store } = await podOf();
  const secret = pod.volumes.find(({ name }) => name === 'credentials')?.['secret'];
  assert.deepEqual(secret, {
    secretName: 'orders-db',
    defaultMode: 288,
    items: [
      { key: 'username', path: 'username' },
      { key: 'password', path: 'password' },
    ],
  });
  assert.ok(dump.env.every(({ value }) => value !== undefined));
  assert.deepEqual(
    store.env.flatMap(({ name, valueFrom }) => (isRecord(valueFrom) && 'secretKeyRef' in valueFrom ? [name] : [])),
    ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'],
  );
  assert.deepEqual(pod.volumes.find(({ name }) => name === 'private')?.['emptyDir'], { medium: 'Memory' });
});

test('the Pods pass the restricted standard and mount no token', async () => {
  const { pod, dump, store } = await podOf();
  assert.equal(pod.automountServiceAccountToken, false);
  assert.deepEqual(pod.securityContext, {
    runAsNonRoot: true,
    runAsUser: 65_532,
    runAsGroup: 65_532,
    fsGroup: 65_532,
    seccompProfile: { type: 'RuntimeDefault' },
  });
  for (const { securityContext } of [dump, store]) {
    assert.deepEqual(securityContext, {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
  }
});

test('B5: the store container works below a folder of this very object', async () => {
  const { store } = await podOf({ minimumToKeep: 5 });
  assert.deepEqual(
    store.args?.map((word) => word.replace(/orders\/[^/]{8}$|orders\/[^/]*$/, 'orders/UID')),
    [
      'store',
      'upload',
      '--store=s3://backups',
      '--region=us-east-1',
      '--endpoint=https://s3.example.org',
      '--folder=team-a/orders/UID',
      '--report=/dev/termination-log',
      '--file=/backup/dump',
      '--started-file=/backup/started',
      '--engine=postgres',
      '--database=orders',
      '--retention-days=14',
      '--minimum-to-keep=5',
    ],
  );
});

test('on a volume the claim is mounted, in the folder asked for, and no bucket is named', async () => {
  const { pod, store } = await podOf({ storage: { persistentVolumeClaim: { claimName: 'backups', subPath: 'prod' } } });
  assert.equal(store.args?.includes('--store=file:///volume'), true);
  assert.deepEqual(store.volumeMounts.at(-1), { name: 'volume', mountPath: '/volume', subPath: 'prod' });
  assert.deepEqual(pod.volumes.at(-1), { name: 'volume', persistentVolumeClaim: { claimName: 'backups' } });
});

test('authorities of database and endpoint are mounted where the programs look for them', async () => {
  const s3 = { ...SPEC.storage.s3, caSecretRef: { name: 's3-ca' } };
  const { dump, store } = await podOf({
    ...engine('postgres', { sslMode: 'verify-full', caSecretRef: { name: 'db-ca' } }),
    storage: { s3 },
  });
  assert.ok(dump.env.some(({ name, value }) => name === 'PGSSLROOTCERT' && value === '/database-ca/ca.crt'));
  assert.ok(store.env.some(({ name, value }) => name === 'NODE_EXTRA_CA_CERTS' && value === '/store-ca/ca.crt'));
});

test('resources, labels, nodes and tolerations reach the Pod; an own image is used', async () => {
  const { pod, dump } = await podOf({
    resources: { limits: { memory: '512Mi' } },
    nodeSelector: { disk: 'fast' },
    tolerations: [{ key: 'backup', operator: 'Exists' }],
    image: 'registry.example/postgres@sha256:abc',
    serviceAccountName: 'backup',
  });
  assert.equal(dump.image, 'registry.example/postgres@sha256:abc');
  assert.deepEqual(
    [
      Reflect.get(dump, 'resources'),
      Reflect.get(pod, 'nodeSelector'),
      Reflect.get(pod, 'tolerations'),
      Reflect.get(pod, 'serviceAccountName'),
    ],
    [{ limits: { memory: '512Mi' } }, { disk: 'fast' }, [{ key: 'backup', operator: 'Exists' }], 'backup'],
  );
});

test('a dollar reaches the containers as it was written: no Secret is put in its place, and no other database is dumped', async () => {
  const endpoint = 'https://s3.example.org/$(AWS_SECRET_ACCESS_KEY)';
  const { dump, store } = await podOf({
    ...engine('postgres', { name: 'a$$b' }),
    storage: { s3: { ...SPEC.storage.s3, endpoint } },
  });
  assert.equal(dump.env.find(({ name }) => name === 'PGDATABASE')?.value, 'a$$$$b');
  const { args = [] } = store;
  assert.ok(args.includes('--database=a$$$$b'));
  assert.ok(args.includes('--endpoint=https://s3.example.org/$$(AWS_SECRET_ACCESS_KEY)'));
});

test('a Pod names its identity even where none is asked for, and leaves an empty node selector out', async () => {
  const { pod } = await podOf({ nodeSelector: {} });
  assert.deepEqual([pod.serviceAccountName, pod.nodeSelector], ['default', undefined]);
});
