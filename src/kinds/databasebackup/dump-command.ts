import type { DatabaseBackup } from './schema.ts';

type Database = DatabaseBackup['spec']['database'];

/** Where the container finds and leaves things; the same in every Job. */
export const PATHS = {
  work: '/backup',
  dump: '/backup/dump',
  started: '/backup/started',
  credentials: '/credentials',
  databaseCa: '/database-ca',
  storeCa: '/store-ca',
  private: '/private',
  volume: '/volume',
} as const;

/** Images with the dump programs, by engine. */
export const ENGINE_IMAGES: Readonly<Record<Database['engine'], string>> = {
  postgres: 'docker.io/library/postgres:17',
  mysql: 'docker.io/library/mysql:8.4',
  mariadb: 'docker.io/library/mariadb:11.4',
};

const DEFAULT_PORTS: Readonly<Record<Database['engine'], number>> = { postgres: 5432, mysql: 3306, mariadb: 3306 };

/** The shell ends at the first failure, also of a program whose output is piped on: a failed dump is a failed Job. */
const SHELL = ['bash', '-o', 'errexit', '-o', 'nounset', '-o', 'pipefail', '-c'] as const;

/**
 * The container's command. Everything a person wrote comes by environment and file, nothing as a part of the script; user and
 * password stay in files that nobody else can read, and never stand in a command line.
 */
export function dumpCommand(database: Database): readonly string[] {
  return [...SHELL, database.engine === 'postgres' ? POSTGRES : sqlScript(database)];
}

/** The container's environment. */
export function dumpEnvironment(database: Database): readonly { readonly name: string; readonly value: string }[] {
  const { engine, host, name, sslMode, caSecretRef, port = DEFAULT_PORTS[engine] } = database;
  const ca = `${PATHS.databaseCa}/ca.crt`;
  const common = {
    CREDENTIALS: PATHS.credentials,
    PRIVATE: PATHS.private,
    DUMP_FILE: PATHS.dump,
    STARTED_FILE: PATHS.started,
  };
  const ours =
    engine === 'postgres'
      ? {
          PGHOST: host,
          PGPORT: String(port),
          PGDATABASE: name,
          PGSSLMODE: sslMode,
          ...(caSecretRef === undefined ? {} : { PGSSLROOTCERT: ca }),
        }
      : {
          DATABASE_HOST: host,
          DATABASE_PORT: String(port),
          DATABASE_NAME: name,
          ...(caSecretRef === undefined ? {} : { DATABASE_CA: ca }),
        };
  return Object.entries({ ...common, ...ours }).map(([variable, value]) => ({
    name: variable,
    value: verbatim(value),
  }));
}

/**
 * A text that reaches a container as it was written. Kubernetes replaces `$(VARIABLE)` in arguments and environment, by Secrets as
 * well, and makes one dollar of two (core/v1 Container, `args`).
 */
export function verbatim(text: string): string {
  return text.split('$').join('$$');
}

const BEGIN = `umask 077
date -u +%s > "$STARTED_FILE"
`;

/** Only what has been checked gets the name under which the next container looks. */
const END = `mv "$DUMP_FILE.part" "$DUMP_FILE"
`;

/**
 * A password file escapes backslash and colon (libpq, "The Password File"). An archive that is read to its end is whole; one that was
 * cut in half still shows its list, which stands at the beginning.
 */
const POSTGRES = `${BEGIN}quoted() { sed -e 's/[\\\\:]/\\\\&/g' "$CREDENTIALS/$1"; }
printf '*:*:*:%s:%s\\n' "$(quoted username)" "$(quoted password)" > "$PRIVATE/pgpass"
export PGPASSFILE="$PRIVATE/pgpass" PGUSER="$(cat "$CREDENTIALS/username")"
pg_dump --no-password --format=custom > "$DUMP_FILE.part"
test -s "$DUMP_FILE.part"
pg_restore --file=/dev/null "$DUMP_FILE.part"
${END}`;

const PROGRAMS = { mysql: 'mysqldump', mariadb: 'mariadb-dump' } as const;

/** Options one of the two programs does not know. */
const ONLY: Readonly<Record<keyof typeof PROGRAMS, string>> = { mysql: ' --set-gtid-purged=OFF', mariadb: '' };

/** An option file escapes backslash and quote. The last line of a dump says that it is complete. */
function sqlScript({ engine, sslMode, caSecretRef }: Database): string {
  const program = engine === 'mysql' ? 'mysql' : 'mariadb';
  const ca = caSecretRef === undefined ? '' : ' --ssl-ca="$DATABASE_CA"';
  const options = `--host="$DATABASE_HOST" --port="$DATABASE_PORT" --protocol=tcp ${tlsOptions(program, sslMode)}${ca}`;
  const what = `--single-transaction --quick --routines --triggers --events --hex-blob --no-tablespaces${ONLY[program]}`;
  return `${BEGIN}quoted() { sed -e 's/[\\\\"]/\\\\&/g' "$CREDENTIALS/$1"; }
printf '[client]\\nuser="%s"\\npassword="%s"\\n' "$(quoted username)" "$(quoted password)" > "$PRIVATE/client.cnf"
${PROGRAMS[program]} --defaults-extra-file="$PRIVATE/client.cnf" ${options} ${what} -- "$DATABASE_NAME" | gzip > "$DUMP_FILE.part"
gzip --test "$DUMP_FILE.part"
gzip --decompress --stdout "$DUMP_FILE.part" | tail -n 1 | grep '^-- Dump completed'
${END}`;
}

function tlsOptions(program: keyof typeof PROGRAMS, sslMode: Database['sslMode']): string {
  const modes = {
    mysql: {
      disable: '--ssl-mode=DISABLED',
      prefer: '--ssl-mode=PREFERRED',
      require: '--ssl-mode=REQUIRED',
      'verify-full': '--ssl-mode=VERIFY_IDENTITY',
    },
    mariadb: {
      disable: '--skip-ssl',
      prefer: '--skip-ssl-verify-server-cert',
      require: '--ssl --skip-ssl-verify-server-cert',
      'verify-full': '--ssl --ssl-verify-server-cert',
    },
  } as const;
  return modes[program][sslMode];
}
