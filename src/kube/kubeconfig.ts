import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Cluster, Context, KubeConfig, User } from '@kubernetes/client-node';
import { errorText, HomeostatError } from '../base/errors.ts';
import { isRecord } from '../base/json.ts';
import type { PemSource } from './credential-files.ts';

/** One context of a kubeconfig with the cluster and the user it names. Empty members of the file are absent here. */
export interface KubeconfigContext {
  readonly name: string;
  readonly namespace: string | undefined;
  readonly cluster: KubeconfigCluster;
  readonly user: KubeconfigUser;
}

/** A cluster of a kubeconfig. */
export interface KubeconfigCluster {
  readonly server: string;
  readonly skipsVerification: boolean;
  readonly usesProxy: boolean;
  readonly servername: string | undefined;
  readonly ca: PemSource | undefined;
}

/** A user of a kubeconfig. */
export interface KubeconfigUser {
  readonly name: string;
  readonly cert: PemSource | undefined;
  readonly key: PemSource | undefined;
  readonly token: string | undefined;
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly impersonates: boolean;
  /** The `exec` stanza as it stands in the file. */
  readonly exec: unknown;
  /** Asks the user's `auth-provider` for a value of the Authorization header. */
  readonly provider: (() => Promise<string | undefined>) | undefined;
}

const SHOWN_CONTEXTS = 10;

/**
 * Reads one context from kubeconfig files: as in KUBECONFIG, what an earlier file names a later one does not replace, and of
 * several files those that are missing are skipped. Importing client-node takes half a second, so only this function does it.
 *
 * @throws HomeostatError `HOMEOSTAT_KUBECONFIG` naming the file when it cannot be read or lacks the context, its cluster or its
 * user.
 */
export async function readKubeconfig(files: readonly string[], wanted: string | undefined): Promise<KubeconfigContext> {
  const { KubeConfig } = await import('@kubernetes/client-node');
  const create = (): KubeConfig => new KubeConfig();
  const config = await load(files, create);
  const name = wanted ?? present(config.getCurrentContext()) ?? '';
  const context = config.getContextObject(name);
  const origin = files.join(', ');
  if (context === null) throw kubeconfigError(origin, missingContext(name, config.contexts));
  const cluster = config.getCluster(context.cluster);
  if (cluster === null)
    throw kubeconfigError(origin, `its context ${name} names a cluster it lacks, ${context.cluster}`);
  const user = config.getUser(context.user);
  if (user === null) throw kubeconfigError(origin, `its context ${name} names a user it lacks, ${context.user}`);
  return { name, namespace: present(context.namespace), cluster: toCluster(cluster), user: toUser(user, create) };
}

/** An error about kubeconfig files; `what` is a clause without full stop. */
export function kubeconfigError(files: string, what: string, cause?: unknown): HomeostatError {
  return new HomeostatError('HOMEOSTAT_KUBECONFIG', `The kubeconfig ${files} cannot be used: ${what}.`, { cause });
}

async function load(files: readonly string[], create: () => KubeConfig): Promise<KubeConfig> {
  const merged = create();
  let found = false;
  for (const file of files) {
    const text = await read(file, files.length > 1);
    if (text === undefined) continue;
    found = true;
    const one = create();
    try {
      one.loadFromString(text);
    } catch (error) {
      throw kubeconfigError(file, parseFailure(error));
    }
    one.makePathsAbsolute(dirname(file));
    merge(merged, one);
  }
  if (!found) throw kubeconfigError(files.join(', '), 'none of these files exists');
  return merged;
}

/** What people call the errors of the file system. */
const UNREADABLE: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'this user may not read it',
};

async function read(file: string, mayBeMissing: boolean): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const code = isRecord(error) ? error['code'] : undefined;
    if (mayBeMissing && code === 'ENOENT') return undefined;
    throw kubeconfigError(file, UNREADABLE[String(code)] ?? errorText(error), error);
  }
}

/** client-node's own merge refuses a name that occurs twice; kubectl lets the first one win. */
function merge(into: KubeConfig, from: KubeConfig): void {
  if (present(into.currentContext) === undefined) into.setCurrentContext(from.currentContext);
  for (const cluster of from.clusters) if (into.getCluster(cluster.name) === null) into.addCluster(cluster);
  for (const user of from.users) if (into.getUser(user.name) === null) into.addUser(user);
  for (const context of from.contexts) if (into.getContextObject(context.name) === null) into.addContext(context);
}

function missingContext(name: string, contexts: readonly Context[]): string {
  const names = contexts.map((context) => context.name);
  const more = names.length > SHOWN_CONTEXTS ? ` and ${names.length - SHOWN_CONTEXTS} more` : '';
  const what = name === '' ? 'no context is named and it has no current one' : `it has no context ${name}`;
  const has = names.length === 0 ? 'no contexts' : `the contexts ${names.slice(0, SHOWN_CONTEXTS).join(', ')}${more}`;
  return `${what}; it has ${has}`;
}

function toCluster(cluster: Cluster): KubeconfigCluster {
  return {
    server: cluster.server,
    skipsVerification: cluster.skipTLSVerify,
    usesProxy: present(cluster.proxyUrl) !== undefined,
    servername: present(cluster.tlsServerName),
    ca: pemSource(cluster.caFile, cluster.caData),
  };
}

function toUser(user: User, create: () => KubeConfig): KubeconfigUser {
  const provider: unknown = user.authProvider;
  return {
    name: user.name,
    cert: pemSource(user.certFile, user.certData),
    key: pemSource(user.keyFile, user.keyData),
    token: present(user.token),
    username: present(user.username),
    password: present(user.password),
    impersonates: present(user.impersonateUser) !== undefined,
    exec: user.exec,
    provider: isRecord(provider) ? providerOf(user, create()) : undefined,
  };
}

/** OIDC and the older providers stay client-node's own business; only the header they set is taken. */
function providerOf(user: User, config: KubeConfig): () => Promise<string | undefined> {
  // The provider needs no cluster; without a name that can be dialled, nothing of this configuration ever can be.
  config.loadFromClusterAndUser({ name: 'none', server: 'https://none.invalid', skipTLSVerify: false }, user);
  return async () => {
    const options: { headers?: unknown } = {};
    // The parameter's type needs ws's declarations, which are not installed; only headers are read of it.
    await config.applyToHTTPSOptions(options as Parameters<KubeConfig['applyToHTTPSOptions']>[0]);
    const header = isRecord(options.headers) ? options.headers['Authorization'] : undefined;
    return typeof header === 'string' ? header : undefined;
  };
}

/** Data wins over a file, as in client-go. */
function pemSource(file: string | null | undefined, data: string | null | undefined): PemSource | undefined {
  const encoded = present(data);
  if (encoded !== undefined) return { pem: Buffer.from(encoded, 'base64').toString('utf8') };
  const path = present(file);
  return path === undefined ? undefined : { file: path };
}

/** client-node's types say string where its values may be null. */
function present(text: string | null | undefined): string | undefined {
  return text === null || text === '' ? undefined : text;
}

/** The YAML parser's message quotes lines of the file, which hold credentials; only its reason and its place are told. */
function parseFailure(error: unknown): string {
  if (!isRecord(error) || typeof error['reason'] !== 'string') return 'it does not have the form of a kubeconfig';
  const mark = error['mark'];
  const line = isRecord(mark) && typeof mark['line'] === 'number' ? ` in line ${mark['line'] + 1}` : '';
  return `it is no YAML: ${error['reason']}${line}`;
}
