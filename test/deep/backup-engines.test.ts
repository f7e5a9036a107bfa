import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import type { Manifest } from '../../src/base/object.ts';
import { OwnedProcesses } from '../controlplane/owned-processes.ts';
import { S3Store } from '../../src/adapters/object-store/s3-store.ts';
import { storeContract } from '../support/store-contract.ts';
import { BackupPod } from './backup-containers.ts';
import { type DatabaseServer, PASSWORD, startMariaDb, startPostgres, startS3 } from './backup-servers.ts';

const run = promisify(execFile);
const group = await OwnedProcesses.open('homeostat-backups');
const s3 = await startS3(group);
after(async () => {
  await group.close();
  await group.removeFolder();
});

Object.assign(process.env, s3.credentials);
let prefixes = 0;
const PART = 5 * 1024 * 1024;
storeContract(
  'versitygw',
  async () => {
    const place = {
      bucket: s3.bucket,
      prefix: `contract-${++prefixes}`,
      region: 'us-east-1',
      endpoint: s3.endpoint,
      pathStyle: true,
    };
    const store = new S3Store(place, { partBytes: PART, copyBytes: PART });
    after(() => store.close());
    return store;
  },
  PART,
);

/** Rows with what tends to get lost: quotes, line ends, other alphabets, nothing, and bytes. */
const ROWS = `INSERT INTO orders (id, note, amount) VALUES (1, 'it''s "quoted"', 12.50), (2, 'line
break', NULL), (3, 'Grüße, 注文', -1), (4, '', 0.01)`;
const TABLE = 'CREATE TABLE orders (id INT PRIMARY KEY, note TEXT, amount DECIMAL(10,2))';

function databaseBackup(engine: string, port: number, spec: object): Manifest {
  return {
    apiVersion: 'homeostat.io/v1alpha1',
    kind: 'DatabaseBackup',
    metadata: { name: 'orders', namespace: 'team-a' },
    spec: {
      schedule: '30 4 * * *',
      retentionDays: 14,
      minimumToKeep: 1,
      database: { engine, host: '127.0.0.1', port, name: 'orders', credentialsSecretRef: { name: 'db' }, ...spec },
      storage: {
        s3: {
          bucket: s3.bucket,
          prefix: engine,
          endpoint: s3.endpoint,
          insecure: true,
          credentialsSecretRef: { name: 's3' },
        },
      },
    },
  };
}

function podOf(backup: Manifest, secret: object = { username: 'orders', password: PASSWORD }): Promise<BackupPod> {
  return BackupPod.of(backup, { folder: group.folder, secret, environment: s3.credentials });
}

/** An engine, and how its dumps come back. */
interface Engine {
  readonly name: string;
  readonly start: () => Promise<DatabaseServer>;
  readonly connection: object;
  readonly rows: string;
  readonly restore: (file: string, server: DatabaseServer) => Promise<void>;
}

const ENGINES: readonly Engine[] = [
  {
    name: 'postgres',
    start: () => startPostgres(group),
    connection: { sslMode: 'require' },
    rows: "SELECT id, replace(note, chr(10), '~'), amount FROM orders ORDER BY id",
    restore: async (file, server) => {
      await server.sql('CREATE DATABASE restored OWNER orders');
      const env = { ...process.env, PGPASSWORD: PASSWORD, PGSSLMODE: 'require' };
      await run(
        'pg_restore',
        ['-h', '127.0.0.1', '-p', String(server.port), '-U', 'orders', '--dbname=restored', '--exit-on-error', file],
        { env },
      );
    },
  },
  {
    name: 'mariadb',
    start: () => startMariaDb(group),
    connection: { sslMode: 'disable' },
    rows: "SELECT id, replace(note, '\\n', '~'), amount FROM orders ORDER BY id",
    restore: async (file, server) =>
      void (await server.sql(gunzipSync(await readFile(file)).toString('utf8'), 'restored')),
  },
];

for (const engine of ENGINES) {
  let scene: { readonly server: DatabaseServer; readonly pod: BackupPod; readonly rows: string } | undefined;
  const started = (): NonNullable<typeof scene> => scene ?? assert.fail('The server did not start');

  test(`${engine.name}: old backups are taken, and purged by the next`, async () => {
    const server = await engine.start();
    await server.sql(TABLE, 'orders');
    if (engine.name === 'postgres') await server.sql('ALTER TABLE orders OWNER TO orders', 'orders');
    await server.sql(ROWS, 'orders');
    const pod = await podOf(databaseBackup(engine.name, server.port, engine.connection));
    scene = { server, pod, rows: await server.sql(engine.rows, 'orders') };
    const told: unknown[] = [];
    for (const age of [30, 20, 2, 0]) {
      const { code, output } = await pod.dump();
      assert.equal(code, 0, output);
      await pod.age(age);
      const stored = await pod.store();
      assert.equal(stored.code, 0, stored.output);
      const { backup, purge } = await pod.report();
      assert.ok((backup?.sizeBytes ?? 0) > 200);
      told.push([purge?.reason, purge?.purged, purge?.kept]);
    }
    // Ages count from the run itself: two weeks on, the first two are beyond two weeks.
    assert.deepEqual(told, [
      ['NothingExpired', 0, 1],
      ['NothingExpired', 0, 2],
      ['Purged', 2, 1],
      ['NothingExpired', 0, 2],
    ]);
  });

  test(`${engine.name}: what is listed can be verified, and restored to the same rows`, async () => {
    const { pod, server, rows } = started();
    const { output } = await pod.store(['list']);
    assert.equal(output.trim().split('\n').length, 2, output);
    assert.equal((await pod.store(['verify'])).code, 0);
    const file = join(group.folder, `${engine.name}.restored`);
    const restored = await pod.store(['restore', `--file=${file}`]);
    assert.equal(restored.code, 0, restored.output);
    await engine.restore(file, server);
    assert.equal(await server.sql(engine.rows, 'restored'), rows);
  });

  test(`B4: ${engine.name}: a dump that fails is a failed container, and never reaches the store`, async () => {
    const { port } = started().server;
    const secret = { username: 'orders', password: 'wrong' };
    const refused = await (await podOf(databaseBackup(engine.name, port, engine.connection), secret)).dump();
    assert.notEqual(refused.code, 0);
    assert.doesNotMatch(refused.output, /wrong/);
    const absent = await podOf(databaseBackup(engine.name, port, { ...engine.connection, name: 'absent' }));
    assert.notEqual((await absent.dump()).code, 0, 'gzip succeeds, the dump before it does not');
    assert.notEqual((await absent.store()).code, 0, 'what is left of the dump is no backup');
  });

  test(`${engine.name}: killed at any moment, the last good backup stays and no half one is listed`, async () => {
    const { pod } = started();
    const before = (await pod.store(['list'])).output.trim().split('\n').at(-1) ?? '?';
    const bucket = join(group.folder, 's3', s3.bucket, engine.name);
    for (const ending of ['.dump.part', '.dump', '.manifest.json', 'nothing']) {
      assert.equal((await pod.dump()).code, 0);
      const known = new Set(await names(bucket));
      await pod.killStore(async (ended) => {
        while (!ended.aborted) {
          const fresh = (await names(bucket)).filter((name) => !known.has(name));
          if (fresh.some((name) => name.endsWith(ending))) return;
          await delay(2);
        }
      });
      const { output, code } = await pod.store(['list']);
      assert.equal(code, 0);
      assert.ok(output.includes(before), output);
      assert.doesNotMatch(output, /speaks of something else/);
      assert.equal((await pod.store(['verify'])).code, 0, `killed at ${ending}`);
    }
  });
}

async function names(folder: string): Promise<readonly string[]> {
  return readdir(folder, { recursive: true });
}
