import type { Clock } from '../base/clock.ts';
import { errorText } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import type { Connection, Credentials, TlsMaterial } from './connection.ts';
import { type Login, loadTls, type TlsSources } from './credential-files.ts';
import { type Loaded, Refreshing } from './refreshing.ts';

/** The parts of a connection. */
export interface RefreshingConnectionOptions {
  readonly server: URL;
  readonly description: string;
  readonly namespace: string | undefined;
  readonly tls: TlsSources;
  /** Loads the credential; gives `previous` back when it is unchanged. */
  readonly login: (previous: Login | undefined) => Promise<Loaded<Login>>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** A {@link Connection} whose TLS material and credential are loaded on use and again as they age. */
export class RefreshingConnection implements Connection {
  readonly server: URL;
  readonly description: string;
  readonly namespace: string | undefined;
  readonly #tls: Refreshing<TlsMaterial>;
  readonly #login: Refreshing<Login>;
  #last: { readonly tls: TlsMaterial; readonly login: Login; readonly credentials: Credentials } | undefined;

  constructor({ server, description, namespace, tls, login, clock, log }: RefreshingConnectionOptions) {
    this.server = server;
    this.description = description;
    this.namespace = namespace;
    const onFailure = (error: unknown): void =>
      log.warn('The credentials for the API server could not be read again; those read before stay in use.', {
        cause: errorText(error),
      });
    this.#tls = new Refreshing({ clock, onFailure, load: (previous) => loadTls(tls, previous) });
    this.#login = new Refreshing({ clock, onFailure, load: login });
  }

  async credentials(): Promise<Credentials> {
    const [tls, login] = await Promise.all([this.#tls.current(), this.#login.current()]);
    const last = this.#last;
    if (last?.tls === tls && last.login === login) return last.credentials;
    const credentials = combine(tls, login, last?.credentials.tls);
    this.#last = { tls, login, credentials };
    return credentials;
  }

  invalidate(refused: Credentials): void {
    const last = this.#last;
    if (last?.credentials !== refused) return;
    this.#tls.invalidate(last.tls);
    this.#login.invalidate(last.login);
  }
}

/** Keeps the TLS material's identity where only a token has changed: its connections go on. */
function combine(tls: TlsMaterial, login: Login, before: TlsMaterial | undefined): Credentials {
  const { authorization, cert, key } = login;
  const merged: TlsMaterial = cert === undefined || key === undefined ? tls : { ...tls, cert, key };
  const same =
    before !== undefined &&
    before.ca === merged.ca &&
    before.cert === merged.cert &&
    before.key === merged.key &&
    before.servername === merged.servername;
  return { tls: same ? before : merged, ...(authorization === undefined ? {} : { authorization }) };
}
