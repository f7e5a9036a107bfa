import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import type { Connection } from './connection.ts';
import { bearer, type Login, type TlsSources } from './credential-files.ts';
import { type Environment, runExecPlugin, toExecPlugin } from './exec-plugin.ts';
import { type KubeconfigCluster, type KubeconfigContext, kubeconfigError, readKubeconfig } from './kubeconfig.ts';
import type { Loaded } from './refreshing.ts';
import { RefreshingConnection } from './refreshing-connection.ts';
import { serverUrl } from './server-url.ts';
import { CredentialError } from './transport-error.ts';

/** Which kubeconfig, and which of its contexts. */
export interface KubeconfigConnectionOptions {
  readonly files: readonly string[];
  /** @defaultValue the current context */
  readonly context: string | undefined;
  /** Environment of credential plugins. */
  readonly environment: Environment;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Providers compiled into client-node know their own expiry; they are asked this often. */
const PROVIDER_AGE_MS = 60_000;

type LoadLogin = (previous: Login | undefined) => Promise<Loaded<Login>>;

/**
 * A connection from a context of kubeconfig files.
 *
 * @throws HomeostatError `HOMEOSTAT_KUBECONFIG` when the context cannot be had, or asks for what is refused: unverified TLS, HTTP
 * beyond this host, a proxy, impersonation; CredentialError when its user has no credential that is read here.
 */
export async function kubeconfigConnection(options: KubeconfigConnectionOptions): Promise<Connection> {
  const { clock, log, environment } = options;
  const files = options.files.join(', ');
  const context = await readKubeconfig(options.files, options.context);
  const refusal = refusalOf(context);
  if (refusal !== undefined) throw kubeconfigError(files, `its context ${context.name} ${refusal}`);
  const server = serverUrl(context.cluster.server, `the context ${context.name} of ${files}`);
  return new RefreshingConnection({
    server,
    description: `context ${context.name} (${context.cluster.server})`,
    namespace: context.namespace,
    tls: tlsSources(context),
    login: loginOf(context, environment, clock),
    clock,
    log,
  });
}

/** What a client that does not know these members would ignore in silence. */
function refusalOf({ cluster, user }: KubeconfigContext): string | undefined {
  if (cluster.skipsVerification) {
    return 'asks for unverified TLS (insecure-skip-tls-verify); give the certificate-authority instead';
  }
  if (cluster.usesProxy) return 'names a proxy (proxy-url), which is not supported';
  if (user.impersonates) return 'impersonates a user (as), which is not supported';
  return undefined;
}

function tlsSources({ cluster, user }: KubeconfigContext): TlsSources {
  return {
    ...(cluster.ca === undefined ? {} : { ca: cluster.ca }),
    ...(user.cert === undefined ? {} : { cert: user.cert }),
    ...(user.key === undefined ? {} : { key: user.key }),
    ...(cluster.servername === undefined ? {} : { servername: cluster.servername }),
  };
}

/** A static credential goes before a plugin, as in client-go. */
function loginOf({ cluster, user }: KubeconfigContext, environment: Environment, clock: Clock): LoadLogin {
  const { name, token, username, password = '', exec, provider, cert } = user;
  if (token !== undefined) return fixed({ authorization: bearer(token, `The token of the user ${name}`) });
  if (username !== undefined) {
    return fixed({ authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` });
  }
  if (exec !== undefined && exec !== null) {
    const plugin = toExecPlugin(exec, environment, clusterInfo(cluster));
    return () => runExecPlugin(plugin, clock);
  }
  if (provider !== undefined) return (previous) => loadFromProvider(name, provider, previous);
  if (cert !== undefined || cluster.server.startsWith('http:')) return fixed({});
  const known = 'token, client-certificate, exec, auth-provider, or username and password';
  throw new CredentialError(`The user ${name} of the kubeconfig has no credential that is read here: ${known}.`);
}

function fixed(login: Login): LoadLogin {
  const loaded = { value: login, refreshAfterMs: Number.POSITIVE_INFINITY, usableForMs: Number.POSITIVE_INFINITY };
  return () => Promise.resolve(loaded);
}

async function loadFromProvider(
  user: string,
  provider: () => Promise<string | undefined>,
  previous: Login | undefined,
): Promise<Loaded<Login>> {
  const what = `The auth-provider of the user ${user} gave no credential`;
  const authorization = await provider().catch((error: unknown) => {
    throw new CredentialError(`${what}; log in again.`, { cause: error });
  });
  if (authorization === undefined) throw new CredentialError(`${what}; it is not one of those that are known here.`);
  const value = previous?.authorization === authorization ? previous : { authorization };
  return { value, refreshAfterMs: PROVIDER_AGE_MS, usableForMs: PROVIDER_AGE_MS };
}

function clusterInfo({ server, ca, servername }: KubeconfigCluster): Readonly<Record<string, string>> {
  return {
    server,
    ...(ca !== undefined && 'pem' in ca
      ? { 'certificate-authority-data': Buffer.from(ca.pem).toString('base64') }
      : {}),
    ...(servername === undefined ? {} : { 'tls-server-name': servername }),
  };
}
