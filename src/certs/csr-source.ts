import { sleep } from '../base/abort.ts';
import { errorText } from '../base/errors.ts';
import type { Random } from '../base/random.ts';
import type { KubeClient } from '../kube/client.ts';
import { findObject } from '../kube/find-object.ts';
import { CERTIFICATE_SIGNING_REQUESTS } from '../kube/well-known.ts';
import { readAuthorityFile } from './authority-file.ts';
import { certificatesOf, verifiesUnder } from './certificate-chain.ts';
import { requestCertificate } from './certificate-request.ts';
import type { ServingPair } from './certificate-source.ts';
import { CurrentPair, type CurrentPairOptions } from './current-pair.ts';
import { changeOrTimeout } from './object-change.ts';
import { Progress } from './progress.ts';
import type { RenewingSource } from './renewing-source.ts';
import { signingRequest, stateOfRequest } from './signing-request.ts';

/** What a CSR source is made of. */
export interface CsrSourceOptions extends CurrentPairOptions {
  readonly client: KubeClient;
  /** Name of the signer; see `whyNotSigner`. */
  readonly signer: string;
  /** PEM file with the authorities of the signer; followed. */
  readonly authorityFile: string;
  /** The life that is asked for; the signer decides. */
  readonly validForMs: number;
  readonly random: Random;
}

/** A request that has been made and not yet answered. */
interface OpenRequest {
  readonly name: string;
  readonly key: string;
}

/** The part of a certificate's life after which the next one is asked for. */
const RENEW_AFTER = 2 / 3;

/** How often the file with the authorities, and the clock, are looked at. */
const LOOK_MS = 10_000;

/** After trouble with the file or the API server. */
const RETRY_MS = 5000;

/** Whoever denied a request will not be asked again at once. */
const ASK_AGAIN_MS = 10 * 60_000;

/**
 * Certificates by CertificateSigningRequests to a named signer. Each replica asks for its own; its key never leaves the process,
 * so a restart asks anew. Approving and signing is the business of others, and this source says what it waits for. At two thirds
 * of its life, or when the authorities no longer cover it, the next one is asked for; the present one stays in use until then.
 */
export class CsrSource implements RenewingSource {
  readonly #options: CsrSourceOptions;
  readonly #current: CurrentPair;
  readonly #progress: Progress;
  #open: OpenRequest | undefined;
  /** When the pair in use is to be replaced; wall clock. */
  #renewAtMs = 0;
  /** Not before this is asked again after a refusal; monotonic. */
  #askAgainAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: CsrSourceOptions) {
    this.#options = options;
    this.#current = new CurrentPair(options);
    this.#progress = new Progress(options.log);
  }

  current(): ServingPair | undefined {
    return this.#current.pair;
  }

  onChange(callback: (pair: ServingPair) => void): () => void {
    return this.#current.onChange(callback);
  }

  problem(): string | undefined {
    const problem = this.#current.problem();
    const { waitingFor } = this.#progress;
    return problem === undefined || waitingFor === undefined ? problem : `${problem}; ${waitingFor}`;
  }

  renewal(): string | undefined {
    return this.#progress.waitingFor;
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#pass(signal);
      } catch (error) {
        if (signal.aborted) return;
        this.#progress.fails(errorText(error));
        await sleep(this.#options.clock, RETRY_MS, signal).catch(() => undefined); // rejects only when the signal fires
      }
      this.#current.warnWhenEndIsNear();
    }
  }

  async #pass(signal: AbortSignal): Promise<void> {
    const { clock, authorityFile } = this.#options;
    const authorities = await readAuthorityFile(authorityFile);
    if (this.#open !== undefined) return this.#look(this.#open, authorities, signal);
    const due = !this.#isCovered(authorities) || clock.now() >= this.#renewAtMs;
    if (due && clock.monotonic() >= this.#askAgainAtMs) return this.#ask(signal);
    if (!due) this.#progress.done();
    const nextMs = due ? this.#askAgainAtMs - clock.monotonic() : this.#renewAtMs - clock.now();
    return sleep(clock, Math.max(1, Math.min(LOOK_MS, nextMs)), signal);
  }

  /** Whether the pair in use verifies under the authorities as they are in the file now. Keeps the pair's own copy up to date. */
  #isCovered(authorities: string): boolean {
    const { pair } = this.#current;
    if (pair === undefined || !this.#verifies(pair.certificate, authorities)) return false;
    const { certificate, key } = pair;
    this.#current.offer({ certificate, key, authority: authorities }, `answer of signer ${this.#options.signer}`);
    return true;
  }

  async #ask(signal: AbortSignal): Promise<void> {
    const { client, names, signer, random, validForMs } = this.#options;
    const { request, key } = await requestCertificate(names);
    const name = `homeostat-webhook-${random.uuid().slice(0, 13)}`;
    await client.create(CERTIFICATE_SIGNING_REQUESTS, signingRequest({ name, signer, request, validForMs }), {
      signal,
      fieldManager: 'homeostat-certificates',
    });
    this.#open = { name, key };
  }

  async #look(open: OpenRequest, authorities: string, signal: AbortSignal): Promise<void> {
    const { client, clock, signer } = this.#options;
    const type = CERTIFICATE_SIGNING_REQUESTS;
    const object = await findObject(client, type, { name: open.name }, { signal });
    if (object === undefined) {
      this.#open = undefined;
      this.#progress.waits(
        `CertificateSigningRequest ${open.name} was deleted before it was answered; a new one is made`,
      );
      return;
    }
    const state = stateOfRequest(object);
    switch (state.type) {
      case 'pending':
        this.#progress.waits(
          `CertificateSigningRequest ${open.name} waits for approval: kubectl certificate approve ${open.name}`,
        );
        break;
      case 'approved':
        this.#progress.waits(`CertificateSigningRequest ${open.name} is approved and waits for signer ${signer}`);
        break;
      case 'denied':
      case 'failed':
        this.#giveUp(
          `CertificateSigningRequest ${open.name} ${state.type === 'denied' ? 'was denied' : 'failed'} (${state.reason})`,
        );
        return;
      case 'issued':
        this.#take(open, state.certificate, authorities);
        return;
    }
    const { resourceVersion } = object.metadata;
    const key = { name: open.name };
    return changeOrTimeout({ client, clock, type, key, resourceVersion, waitMs: LOOK_MS, signal });
  }

  #take(open: OpenRequest, certificate: string, authorities: string): void {
    const { clock, authorityFile, signer } = this.#options;
    const where = `CertificateSigningRequest ${open.name}`;
    if (!this.#verifies(certificate, authorities)) {
      this.#current.refuse(
        `The certificate in ${where} does not verify under the authorities of ${authorityFile}; they must be those of signer ${signer}`,
      );
    } else {
      this.#current.offer({ certificate, key: open.key, authority: authorities }, where);
    }
    const { refusal, pair } = this.#current;
    if (refusal !== undefined) {
      this.#giveUp(refusal);
      return;
    }
    this.#open = undefined;
    this.#askAgainAtMs = Number.NEGATIVE_INFINITY;
    this.#progress.done();
    const now = clock.now();
    this.#renewAtMs = now + ((pair?.notAfter ?? now) - now) * RENEW_AFTER;
  }

  #giveUp(what: string): void {
    this.#open = undefined;
    this.#askAgainAtMs = this.#options.clock.monotonic() + ASK_AGAIN_MS;
    this.#progress.fails(`${what}; the next request follows in ${ASK_AGAIN_MS / 60_000} minutes`);
  }

  #verifies(certificate: string, authorities: string): boolean {
    const { clock, authorityFile, signer } = this.#options;
    const chain = certificatesOf(certificate, `the answer of signer ${signer}`);
    return verifiesUnder(chain, certificatesOf(authorities, authorityFile), clock.now());
  }
}
