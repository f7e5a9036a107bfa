import { X509Certificate } from 'node:crypto';
import type { Random } from '../base/random.ts';
import { bundleOf, type CertificateState, stillTrusted } from './certificate-state.ts';
import { BACKDATE_MS, type IssuedPair, issueAuthority, issueServing } from './issue.ts';

/** The part of a certificate's life after which the leader replaces it. */
const RENEW_AFTER = 2 / 3;

/** The part after which any replica does, because no leader has. */
const RENEW_AFTER_WITHOUT_LEADER = 9 / 10;

/** Lives of what is issued, and the time both authorities are trusted before the new one signs. Milliseconds. */
export interface Lifetimes {
  readonly authorityMs: number;
  readonly certificateMs: number;
  readonly overlapMs: number;
}

/**
 * What to do next with the Secret:
 *
 * - `replace`: the authority has ended, and with it everything, with no other announced; make a new one at once.
 * - `announce`: make the next authority and put it into the bundle.
 * - `promote`: the next authority signs from now on.
 * - `renew`: a new leaf by the same authority.
 */
export type RotationStep = 'replace' | 'announce' | 'promote' | 'renew' | 'none';

/** What the decision depends on besides the Secret. */
export interface Circumstances {
  /** Wall clock, milliseconds since the epoch. */
  readonly now: number;
  /** Names the leaf must be valid for. */
  readonly names: readonly string[];
  readonly leads: boolean;
  /** Every webhook configuration has carried exactly this bundle for the overlap, read back from the API server. */
  readonly announced: boolean;
}

/** Decides; at most one step at a time, so that each is written under the lock of its own. */
export function nextStep(state: CertificateState, { now, names, leads, announced }: Circumstances): RotationStep {
  const authority = new X509Certificate(state.authority.certificate);
  const ended = now >= authority.validToDate.getTime();
  if (leads) {
    if (state.next !== undefined && (announced || ended)) return 'promote';
    if (ended) return 'replace';
    if (state.next === undefined && now >= dueAt(authority, RENEW_AFTER)) return 'announce';
  }
  // An authority that has ended signs nothing that anybody would trust; the leader makes another.
  if (ended) return 'none';
  const leaf = new X509Certificate(state.leaf.certificate);
  const fits = names.every((name) => leaf.checkHost(name, { subject: 'never' }) !== undefined);
  return fits && now < dueAt(leaf, leads ? RENEW_AFTER : RENEW_AFTER_WITHOUT_LEADER) ? 'none' : 'renew';
}

/** When the next step is due at the latest, as far as time alone decides; wall clock. */
export function nextDueAt(state: CertificateState): number {
  const times = [state.authority, state.leaf].map(({ certificate }) =>
    dueAt(new X509Certificate(certificate), RENEW_AFTER),
  );
  return Math.min(...times);
}

/** What issuing needs. */
export interface RotationOptions {
  readonly names: readonly string[];
  readonly lifetimes: Lifetimes;
  readonly random: Random;
  readonly now: number;
}

/** An authority and a leaf from nothing. `trusted` are authorities of before that go on being trusted until they end. */
export async function firstState(trusted: readonly string[], options: RotationOptions): Promise<CertificateState> {
  const authority = await newAuthority(options);
  return { authority, retired: stillTrusted(trusted, options.now), leaf: await newLeaf(authority, options) };
}

/** Carries a step out; the result is still to be written. */
export async function takeStep(
  state: CertificateState,
  step: RotationStep,
  options: RotationOptions,
): Promise<CertificateState> {
  const { authority, next, retired } = state;
  switch (step) {
    case 'none':
      return state;
    case 'replace':
      return firstState([bundleOf(state, options.now)], options);
    case 'announce':
      return { ...state, next: await newAuthority(options) };
    case 'promote':
      if (next === undefined) return state;
      return {
        authority: next,
        retired: stillTrusted([authority.certificate, ...retired], options.now),
        leaf: await newLeaf(next, options),
      };
    case 'renew':
      return { ...state, leaf: await newLeaf(authority, options) };
  }
}

/** The backdated part of a certificate is no part of its life. */
function dueAt(certificate: X509Certificate, part: number): number {
  const issuedAt = certificate.validFromDate.getTime() + BACKDATE_MS;
  return issuedAt + (certificate.validToDate.getTime() - issuedAt) * part;
}

function newAuthority({ random, now, lifetimes }: RotationOptions): Promise<IssuedPair> {
  // A name of its own for each: verifiers that look an issuer up by name find the right one at once.
  const name = `homeostat-webhook-ca-${random.uuid().slice(0, 8)}`;
  return issueAuthority(name, { random, now, validForMs: lifetimes.authorityMs });
}

/** A leaf that outlives its authority would be refused all the same, and its metric would lie. */
function newLeaf(authority: IssuedPair, { names, random, now, lifetimes }: RotationOptions): Promise<IssuedPair> {
  const leftMs = new X509Certificate(authority.certificate).validToDate.getTime() - now;
  return issueServing(authority, names, { random, now, validForMs: Math.min(lifetimes.certificateMs, leftMs) });
}
