import { execFile } from 'node:child_process';
import { access, chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePorts } from '../controlplane/free-ports.ts';
import type { OwnedProcesses } from '../controlplane/owned-processes.ts';
import { programPath } from '../controlplane/program-path.ts';

const run = promisify(execFile);

/** Where Debian puts the server of its PostgreSQL. */
const POSTGRES = '/usr/lib/postgresql/15/bin';

/** What stands between a password and a shell, a password file and an option file. */
export const PASSWORD = `p@ss "w:o\\r'd #1 $HOME`;

/** A database server, and how to ask it something as its administrator. */
export interface DatabaseServer {
  readonly port: number;
  /** Runs SQL and gives its rows, tab-separated. */
  sql(text: string, database?: string): Promise<string>;
}

/** Installs packages of the distribution where their programs are missing; that takes root. */
async function packagesWith(programs: readonly string[], packages: readonly string[]): Promise<void> {
  const present = await Promise.all(
    programs.map((program) =>
      access(program).then(
        () => true,
        () => false,
      ),
    ),
  );
  if (present.every(Boolean)) return;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  await run('apt-get', ['install', '-y', '--no-install-recommends', ...packages], { env, maxBuffer: 64 * 1024 * 1024 });
}

/** A PostgreSQL with TLS and passwords, and the user and database `orders`. */
export async function startPostgres(group: OwnedProcesses): Promise<DatabaseServer> {
  await packagesWith([`${POSTGRES}/postgres`, '/usr/bin/pg_dump'], ['postgresql']);
  const data = await folderOf(group, 'postgres', 'postgres');
  await preparePostgres(data);
  const [port = 0] = await freePorts(1);
  const settings = [
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    'ssl=on',
    'fsync=off',
    `unix_socket_directories=${data}`,
  ];
  const options = settings.flatMap((setting) => ['-c', setting]);
  const program = [...AS_POSTGRES, `${POSTGRES}/postgres`, '-D', `${data}/db`, ...options];
  const server = await group.start('postgres', 'runuser', program);
  const client = ['-h', data, '-p', String(port), '-U', 'postgres', '-v', 'ON_ERROR_STOP=1', '-AtF', '\t'];
  const sql = async (text: string, database = 'postgres'): Promise<string> =>
    (await run('psql', [...client, '-d', database, '-c', text], OUTPUT)).stdout.trim();
  await group.whileRunning([server], 'PostgreSQL', async () => answers(sql('SELECT 1')));
  await sql(`CREATE USER orders PASSWORD '${PASSWORD.replaceAll("'", "''")}'`);
  await sql('CREATE DATABASE orders OWNER orders');
  return { port, sql };
}

const AS_POSTGRES = ['-u', 'postgres', '--'];

/** A data folder with passwords for whoever comes by TCP, and a certificate. */
async function preparePostgres(data: string): Promise<void> {
  const authentication = ['--auth-local=trust', '--auth-host=scram-sha-256'];
  await run('runuser', [...AS_POSTGRES, `${POSTGRES}/initdb`, '-D', `${data}/db`, ...authentication]);
  const certificate = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=orders-db', '-days', '2'];
  const files = ['-keyout', `${data}/db/server.key`, '-out', `${data}/db/server.crt`];
  await run('runuser', [...AS_POSTGRES, 'openssl', ...certificate, ...files]);
}

const OUTPUT = { maxBuffer: 64 * 1024 * 1024 };

function answers(question: Promise<unknown>): Promise<boolean> {
  return question.then(
    () => true,
    () => false,
  );
}

/** A MariaDB with the user and database `orders`. */
export async function startMariaDb(group: OwnedProcesses): Promise<DatabaseServer> {
  await packagesWith(['/usr/sbin/mariadbd', '/usr/bin/mariadb-dump'], ['mariadb-server', 'mariadb-client']);
  const data = await folderOf(group, 'mariadb', 'mysql');
  await run('mariadb-install-db', [
    '--no-defaults',
    '--user=mysql',
    `--datadir=${data}/db`,
    '--auth-root-authentication-method=normal',
  ]);
  const [port = 0] = await freePorts(1);
  const socket = join(data, 'socket');
  const settings = [
    `--datadir=${data}/db`,
    `--socket=${socket}`,
    `--port=${port}`,
    '--bind-address=127.0.0.1',
    // A new data folder has an anonymous user for localhost, who would be taken for ours.
    '--skip-name-resolve',
    `--pid-file=${data}/pid`,
  ];
  const server = await group.start('mariadb', '/usr/sbin/mariadbd', ['--no-defaults', '--user=mysql', ...settings]);
  const sql = async (text: string, database = 'mysql'): Promise<string> => {
    const args = [
      '--no-defaults',
      '--default-character-set=utf8mb4',
      `--socket=${socket}`,
      '--user=root',
      '--batch',
      '--skip-column-names',
      '-e',
      text,
      database,
    ];
    return (await run('mariadb', args, { maxBuffer: 64 * 1024 * 1024 })).stdout.trim();
  };
  await group.whileRunning([server], 'MariaDB', async () =>
    sql('SELECT 1').then(
      () => true,
      () => false,
    ),
  );
  const quoted = PASSWORD.replaceAll('\\', '\\\\').replaceAll("'", "''");
  await sql(
    `CREATE DATABASE orders CHARACTER SET utf8mb4; CREATE DATABASE restored CHARACTER SET utf8mb4; CREATE USER 'orders'@'%' IDENTIFIED BY '${quoted}'`,
  );
  await sql("GRANT ALL ON orders.* TO 'orders'@'%'; GRANT ALL ON restored.* TO 'orders'@'%'");
  return { port, sql };
}

/** An S3 server on a folder, with one bucket. */
export interface S3Server {
  readonly endpoint: string;
  readonly bucket: string;
  /** What the SDK reads. */
  readonly credentials: { readonly AWS_ACCESS_KEY_ID: string; readonly AWS_SECRET_ACCESS_KEY: string };
}

/** Starts versitygw. */
export async function startS3(group: OwnedProcesses): Promise<S3Server> {
  const folder = join(group.folder, 's3');
  const sidecar = join(group.folder, 'metadata');
  await mkdir(join(folder, 'backups'), { recursive: true });
  await mkdir(sidecar);
  const [port = 0] = await freePorts(1);
  const program = await programPath('versitygw');
  const env = { ...process.env, ROOT_ACCESS_KEY: 'backup', ROOT_SECRET_KEY: 'backup-secret' };
  const server = await group.start(
    'versitygw',
    program,
    ['--port', `127.0.0.1:${port}`, 'posix', '--sidecar', sidecar, folder],
    {
      env,
    },
  );
  const endpoint = `http://127.0.0.1:${port}`;
  await group.whileRunning([server], 'the S3 server', async () =>
    fetch(endpoint).then(
      () => true,
      () => false,
    ),
  );
  const credentials = { AWS_ACCESS_KEY_ID: 'backup', AWS_SECRET_ACCESS_KEY: 'backup-secret' };
  return { endpoint, bucket: 'backups', credentials };
}

/** A folder that belongs to the user a server runs as. */
async function folderOf(group: OwnedProcesses, name: string, user: string): Promise<string> {
  await chmod(group.folder, 0o755);
  const folder = join(group.folder, name);
  await mkdir(folder);
  await run('chown', [`${user}:`, folder]);
  return folder;
}
