import { type Clock, toTimestamp } from '../base/clock.ts';
import type { Unstructured } from '../base/object.ts';
import type { Random } from '../base/random.ts';
import type { User } from './request-context.ts';
import { StatusError } from './status-error.ts';
import type { Storage } from './storage.ts';

const ISSUER = 'https://kubernetes.default.svc';
const SHORTEST_SECONDS = 600;

/** A token that was issued for a ServiceAccount. */
export interface IssuedToken {
  readonly token: string;
  readonly expirationTimestamp: string;
  readonly audiences: readonly string[];
}

interface Credential {
  readonly user: User;
  readonly audiences: readonly string[];
  readonly expiresAt: number;
  /** Key and uid of the ServiceAccount; the token dies with it. */
  readonly account?: { readonly key: string; readonly uid: string };
}

/** Bearer tokens: one administrator and the tokens issued for ServiceAccounts. They live in memory and end with the cluster. */
export class Authenticator {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #storage: Storage;
  readonly #credentials = new Map<string, Credential>();
  /** Token of a user in the group system:masters. */
  readonly adminToken: string;

  constructor(ports: { readonly clock: Clock; readonly random: Random; readonly storage: Storage }) {
    this.#clock = ports.clock;
    this.#random = ports.random;
    this.#storage = ports.storage;
    this.adminToken = ports.random.uuid();
    const user = { username: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] };
    this.#credentials.set(this.adminToken, { user, audiences: [ISSUER], expiresAt: Number.POSITIVE_INFINITY });
  }

  /** The user of a request. Throws 401 for a token that is not known (any more). */
  authenticate(headers: Readonly<Record<string, string>>): User {
    const header = headers['authorization'];
    if (header === undefined) return { username: 'system:anonymous', groups: ['system:unauthenticated'] };
    const token = /^Bearer\s+(\S+)$/i.exec(header)?.[1];
    const user = token === undefined ? undefined : this.review(token)?.user;
    if (user === undefined) throw new StatusError(401, 'Unauthorized', 'Unauthorized');
    return user;
  }

  /** The user and audiences behind a token, or undefined. */
  review(token: string): { readonly user: User; readonly audiences: readonly string[] } | undefined {
    const credential = this.#credentials.get(token);
    if (credential === undefined || credential.expiresAt <= this.#clock.now()) return undefined;
    const { account } = credential;
    const alive =
      account === undefined || this.#storage.get('serviceaccounts', account.key)?.metadata.uid === account.uid;
    return alive ? credential : undefined;
  }

  /** Issues a token for a ServiceAccount. It looks like a JSON Web Token, so that clients can read its expiry. */
  issue(account: Unstructured, wish: { readonly seconds: number; readonly audiences: readonly string[] }): IssuedToken {
    const { name, namespace = '', uid } = account.metadata;
    const seconds = Math.max(SHORTEST_SECONDS, wish.seconds);
    const audiences = wish.audiences.length === 0 ? [ISSUER] : wish.audiences;
    const expiresAt = this.#clock.now() + seconds * 1000;
    const id = this.#random.uuid();
    const username = `system:serviceaccount:${namespace}:${name}`;
    const claims = {
      aud: audiences,
      exp: Math.floor(expiresAt / 1000),
      iat: Math.floor(this.#clock.now() / 1000),
      iss: ISSUER,
      jti: id,
      'kubernetes.io': { namespace, serviceaccount: { name, uid } },
      sub: username,
    };
    const token = [{ alg: 'none', typ: 'JWT' }, claims].map(encode).concat(this.#random.uuid()).join('.');
    const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'];
    const extra = { 'authentication.kubernetes.io/credential-id': [`JTI=${id}`] };
    const user = { username, uid, groups, extra };
    this.#credentials.set(token, { user, audiences, expiresAt, account: { key: `${namespace}/${name}`, uid } });
    return { token, expirationTimestamp: toTimestamp(expiresAt), audiences };
  }
}

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}
