import { HomeostatError, type HomeostatErrorOptions } from '../base/errors.ts';

/** What is known of a request that got no answer. */
export interface TransportErrorOptions extends HomeostatErrorOptions {
  /** False only when it is certain that the API server never got the request. */
  readonly sent: boolean;
  /** @defaultValue false */
  readonly timedOut?: boolean;
  /** @defaultValue false */
  readonly final?: boolean;
  readonly code?: string;
}

/**
 * There was no answer: no connection, a connection that broke, a timeout. Code `HOMEOSTAT_TRANSPORT`, or
 * `HOMEOSTAT_CREDENTIALS` when the request could not be authenticated.
 */
export class TransportError extends HomeostatError {
  /**
   * Whether the request may have reached the API server. False means it certainly did not, so that even a write may be
   * repeated.
   */
  readonly sent: boolean;
  readonly timedOut: boolean;
  /** Sending it again at once cannot help. */
  readonly final: boolean;

  constructor(message: string, options: TransportErrorOptions) {
    super(options.code ?? 'HOMEOSTAT_TRANSPORT', message, options);
    this.name = 'TransportError';
    this.sent = options.sent;
    this.timedOut = options.timedOut ?? false;
    this.final = options.final ?? false;
  }
}

/**
 * The certificate of the API server is not to be trusted: another authority has signed it, it is out of date, or it is for another
 * name. Nothing was sent. Code `HOMEOSTAT_SERVER_UNTRUSTED`.
 */
export class UntrustedServerError extends TransportError {
  constructor(message: string, options: HomeostatErrorOptions = {}) {
    super(message, { ...options, sent: false, final: true, code: 'HOMEOSTAT_SERVER_UNTRUSTED' });
    this.name = 'UntrustedServerError';
  }
}

/**
 * The credential of a connection could not be had: a file that cannot be read, a plugin that failed. Nothing was sent. Code
 * `HOMEOSTAT_CREDENTIALS`; the message names the file or the plugin and never holds its content.
 */
export class CredentialError extends TransportError {
  constructor(message: string, options: HomeostatErrorOptions = {}) {
    super(message, { ...options, sent: false, final: true, code: 'HOMEOSTAT_CREDENTIALS' });
    this.name = 'CredentialError';
  }
}
