import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { errorText } from '../base/errors.ts';
import type { TlsMaterial } from './connection.ts';
import type { Loaded } from './refreshing.ts';
import { CredentialError } from './transport-error.ts';

/** PEM text, or the file that holds it. */
export type PemSource = { readonly pem: string } | { readonly file: string };

/** Where the parts of a TLS material come from. */
export interface TlsSources {
  readonly ca?: PemSource;
  readonly cert?: PemSource;
  readonly key?: PemSource;
  readonly servername?: string;
}

/** A credential as it goes into a request: a header, a client certificate, or both. */
export interface Login {
  readonly authorization?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** kubelet swaps projected files within a minute of their change; this bounds what we add to it. */
const FILE_AGE_MS = 10_000;

/** Visible ASCII: what RFC 6750 and RFC 9110 let a bearer token hold, with room for odd issuers. */
const TOKEN = /^[\x21-\x7e]+$/;

/**
 * Reads a TLS material and proves that it can be used: that the certificates parse and that certificate and key belong together.
 * Two files of one rotation that do not fit yet are an error, which the caller answers with the material so far.
 *
 * @throws CredentialError naming the file.
 */
export async function loadTls(sources: TlsSources, previous: TlsMaterial | undefined): Promise<Loaded<TlsMaterial>> {
  const [ca, cert, key] = await Promise.all([read(sources.ca), read(sources.cert), read(sources.key)]);
  const fixed = ![sources.ca, sources.cert, sources.key].some((source) => source !== undefined && 'file' in source);
  const age = { refreshAfterMs: fixed ? Number.POSITIVE_INFINITY : FILE_AGE_MS, usableForMs: Number.POSITIVE_INFINITY };
  if (previous !== undefined && previous.ca === ca && previous.cert === cert && previous.key === key) {
    return { value: previous, ...age };
  }
  const { servername } = sources;
  const value: TlsMaterial = {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(servername === undefined ? {} : { servername }),
  };
  checkAuthority(value, sources.ca);
  checkPair(value, [sources.cert, sources.key].map(nameOf).join(' and '));
  return { value, ...age };
}

/**
 * Reads a bearer token from a file.
 *
 * @throws CredentialError naming the file.
 */
export async function loadTokenFile(file: string, previous: Login | undefined): Promise<Loaded<Login>> {
  const authorization = bearer(await readText(file), `The token file ${file}`);
  const value = previous?.authorization === authorization ? previous : { authorization };
  return { value, refreshAfterMs: FILE_AGE_MS, usableForMs: Number.POSITIVE_INFINITY };
}

/**
 * Authorization header for a token, whose surrounding white space does not count.
 *
 * @throws CredentialError naming `origin` when it is empty or holds what no header may hold.
 */
export function bearer(token: string, origin: string): string {
  const trimmed = token.trim();
  if (!TOKEN.test(trimmed)) {
    const what = trimmed === '' ? 'is empty' : 'holds characters that no token has';
    throw new CredentialError(`${origin} ${what}; it must hold one bearer token and nothing else.`);
  }
  return `Bearer ${trimmed}`;
}

/**
 * Proves that a client certificate and its key can be used together.
 *
 * @throws CredentialError naming `origin`.
 */
export function checkPair({ cert, key }: Pick<TlsMaterial, 'cert' | 'key'>, origin: string): void {
  if (cert === undefined && key === undefined) return;
  if (cert === undefined || key === undefined) {
    throw new CredentialError(
      `The client ${cert === undefined ? 'key has no certificate' : 'certificate has no key'} (${origin}).`,
    );
  }
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    throw new CredentialError(`The client certificate and key (${origin}) cannot be used: ${errorText(error)}.`, {
      cause: error,
    });
  }
}

/** OpenSSL takes an authority file without certificates in silence, and then trusts nobody. */
function checkAuthority({ ca }: TlsMaterial, source: PemSource | undefined): void {
  if (ca === undefined || isCertificate(ca)) return;
  throw new CredentialError(`The certificate authority (${nameOf(source)}) is no PEM certificate.`);
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}

async function read(source: PemSource | undefined): Promise<string | undefined> {
  if (source === undefined) return undefined;
  return 'pem' in source ? source.pem : readText(source.file);
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new CredentialError(`The file ${file} cannot be read: ${errorText(error)}.`, { cause: error });
  }
}

function nameOf(source: PemSource | undefined): string {
  return source !== undefined && 'file' in source ? source.file : 'given in the kubeconfig';
}
