import { spawn } from 'node:child_process';
import type { Clock } from '../base/clock.ts';
import { errorText } from '../base/errors.ts';
import { isRecord } from '../base/json.ts';
import { bearer, checkPair, type Login } from './credential-files.ts';
import type { Loaded } from './refreshing.ts';
import { CredentialError } from './transport-error.ts';

/** Variables a plugin is started with. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The `exec` stanza of a kubeconfig user (client.authentication.k8s.io). */
export interface ExecPlugin {
  readonly apiVersion: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly environment: Environment;
  readonly installHint: string;
  /** The cluster as the plugin is told of it; absent unless the stanza asks for it (provideClusterInfo). */
  readonly cluster?: Readonly<Record<string, string>>;
}

/** A plugin that asks a person or a slow service has this long. */
const TIMEOUT_MS = 60_000;

const MAX_OUTPUT_CHARACTERS = 1024 * 1024;

/** A credential is renewed at this share of its lifetime, and at least so long before its end. */
const REFRESH_SHARE = 0.8;
const REFRESH_MARGIN_MS = 10_000;

/**
 * Runs a credential plugin and reads its ExecCredential. What the plugin writes to stderr goes to ours, unread, as with kubectl:
 * it is meant for the person and may hold anything. Without an expiry the credential holds until it is refused.
 *
 * @throws CredentialError naming the command when it cannot be started, fails, takes more than 60 s or answers something else.
 */
export async function runExecPlugin(plugin: ExecPlugin, clock: Clock): Promise<Loaded<Login>> {
  const status = statusOf(plugin, await output(plugin, clock));
  const { token, clientCertificateData: cert, clientKeyData: key, expirationTimestamp } = status;
  const origin = `The credential plugin ${plugin.command}`;
  const value: Login = {
    ...(typeof token === 'string' ? { authorization: bearer(token, `The token of ${plugin.command}`) } : {}),
    ...(typeof cert === 'string' ? { cert } : {}),
    ...(typeof key === 'string' ? { key } : {}),
  };
  if (Object.keys(value).length === 0) throw new CredentialError(`${origin} gave neither a token nor a certificate.`);
  checkPair(value, `from ${plugin.command}`);
  if (typeof expirationTimestamp !== 'string') {
    return { value, refreshAfterMs: Number.POSITIVE_INFINITY, usableForMs: Number.POSITIVE_INFINITY };
  }
  const lifetime = Date.parse(expirationTimestamp) - clock.now();
  if (!(lifetime > 0)) throw new CredentialError(`${origin} gave a credential that has expired; log in again.`);
  const refreshAfterMs = Math.max(lifetime / 2, Math.min(lifetime * REFRESH_SHARE, lifetime - REFRESH_MARGIN_MS));
  return { value, refreshAfterMs, usableForMs: lifetime };
}

/**
 * Reads an `exec` stanza; `cluster` is told to the plugin if the stanza asks for it.
 *
 * @throws CredentialError when it names no command or needs a terminal.
 */
export function toExecPlugin(
  stanza: unknown,
  environment: Environment,
  cluster: Readonly<Record<string, string>>,
): ExecPlugin {
  const { apiVersion, command, args, env, installHint, interactiveMode, provideClusterInfo } = isRecord(stanza)
    ? stanza
    : {};
  if (typeof command !== 'string' || command === '' || typeof apiVersion !== 'string') {
    throw new CredentialError('The exec stanza of the kubeconfig user needs apiVersion and command.');
  }
  if (interactiveMode === 'Always') {
    throw new CredentialError(`The credential plugin ${command} needs a terminal (interactiveMode: Always).`);
  }
  const own = Array.isArray(env) ? env.filter(isRecord) : [];
  return {
    apiVersion,
    command,
    args: Array.isArray(args) ? args.map(String) : [],
    environment: {
      ...environment,
      ...Object.fromEntries(own.map(({ name, value }) => [String(name), String(value)] as const)),
    },
    installHint: typeof installHint === 'string' ? installHint.trim() : '',
    ...(provideClusterInfo === true ? { cluster } : {}),
  };
}

function output(plugin: ExecPlugin, clock: Clock): Promise<string> {
  const { apiVersion, command, cluster } = plugin;
  const info = {
    apiVersion,
    kind: 'ExecCredential',
    spec: { interactive: false, ...(cluster === undefined ? {} : { cluster }) },
  };
  const env = { ...plugin.environment, KUBERNETES_EXEC_INFO: JSON.stringify(info) };
  return new Promise((resolve, reject) => {
    const child = spawn(command, [...plugin.args], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    let text = '';
    let failure: string | undefined;
    const stop = (why: string): void => {
      failure ??= why;
      child.kill('SIGKILL');
      // A child of its own may hold the other end open for as long as it likes.
      child.stdout.destroy();
    };
    const timer = clock.setTimer(TIMEOUT_MS, () => stop(`gave no answer within ${TIMEOUT_MS / 1000} s`));
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      text += part;
      if (text.length > MAX_OUTPUT_CHARACTERS) stop('wrote more than 1 MiB');
    });
    child.on('error', (error) => {
      const hint = plugin.installHint === '' ? '' : ` ${plugin.installHint}`;
      failure ??= `cannot be started: ${errorText(error)}.${hint}`;
    });
    child.on('close', (code) => {
      timer.cancel();
      failure ??= code === 0 ? undefined : `failed with code ${code}; its own message is on stderr`;
      if (failure === undefined) resolve(text);
      else reject(new CredentialError(`The credential plugin ${command} ${failure}.`));
    });
  });
}

function statusOf({ command, apiVersion }: ExecPlugin, text: string): Readonly<Record<string, unknown>> {
  const answer = parse(text);
  if (!isRecord(answer) || answer['kind'] !== 'ExecCredential' || !isRecord(answer['status'])) {
    throw new CredentialError(`The credential plugin ${command} wrote no ExecCredential with a status.`);
  }
  if (answer['apiVersion'] !== apiVersion) {
    throw new CredentialError(
      `The credential plugin ${command} answered in another version than the asked ${apiVersion}.`,
    );
  }
  return answer['status'];
}

/** The parser's message quotes the text, which holds the token: it is dropped. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
