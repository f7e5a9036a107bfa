import { hash } from 'node:crypto';
import type { Clock } from '../base/clock.ts';
import { errorText, HomeostatError } from '../base/errors.ts';
import { isRecord } from '../base/json.ts';
import { KeptAnswers } from '../base/kept-answers.ts';
import type { Logger } from '../base/logger.ts';
import type { ResourceType } from '../base/resource.ts';
import { askReview } from '../kube/ask-review.ts';
import type { KubeClient } from '../kube/client.ts';
import { SUBJECT_ACCESS_REVIEWS, TOKEN_REVIEWS } from '../kube/well-known.ts';

/** Where the metrics are, and what the right to read them names as `nonResourceURLs`. */
export const METRICS_PATH = '/metrics';

/**
 * Whether somebody may read the metrics: `unknown` where the API server was not able to say. The sentence is for whoever asked and
 * holds no token.
 */
export type ScrapeVerdict =
  | { readonly type: 'allowed' }
  | { readonly type: 'unauthenticated' | 'forbidden' | 'unknown'; readonly sentence: string };

/** What a guard is made of. */
export interface ScrapeGuardOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
  /** Ends what is asked of the API server. */
  readonly stop: AbortSignal;
}

/** A TokenReview or SubjectAccessReview was not answered. Code `HOMEOSTAT_SCRAPE_REVIEW_FAILED`; the API server's error is the cause. */
class ScrapeReviewFailed extends HomeostatError {
  constructor(type: ResourceType, cause: unknown) {
    super(
      'HOMEOSTAT_SCRAPE_REVIEW_FAILED',
      `The ${type.kind} of a reader of the metrics was not answered: ${errorText(cause)}; the service account needs create on ${type.plural}.${type.group}`,
      { cause },
    );
  }
}

interface Identity {
  readonly user: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, unknown>>;
}

/** How long answers count: those of controller-runtime's filter (pkg/metrics/filters). */
const IDENTITY_MS = 60_000;
const ALLOWED_MS = 5 * 60_000;
const FORBIDDEN_MS = 30_000;

/** Tokens and users that are remembered. */
const KEPT_LIMIT = 1000;

/** A token of a ServiceAccount has about 1 KiB. */
const TOKEN_LIMIT = 8192;

/** Tokens that are asked about at one time: whoever sends made-up ones must not use up this service's share of the API server. */
const RUNNING_LIMIT = 16;

/** An API server that is away would fill the log with one line a scrape. */
const WARNING_EVERY_MS = 60_000;

const NO_TOKEN = 'The metrics need a bearer token: Authorization: Bearer TOKEN.';
const BAD_TOKEN = 'The API server does not know this bearer token, or it is no longer valid.';
const UNANSWERED = 'The API server did not say whose token this is or what it may do, so nobody is let in; try again.';
const TOO_MANY = 'Too many tokens are being asked about; try again.';

/**
 * Lets those read the metrics whom the API server knows by their bearer token (TokenReview) and who may `get` the URL /metrics
 * (SubjectAccessReview). Equal questions asked at one time are one request. Answers are kept for a short time and in a bounded number,
 * failures are not kept, and a token is kept as its hash only.
 */
export class ScrapeGuard {
  readonly #options: ScrapeGuardOptions;
  readonly #identities: KeptAnswers<Identity | undefined>;
  readonly #rights: KeptAnswers<boolean>;
  #quietUntilMs = Number.NEGATIVE_INFINITY;

  constructor(options: ScrapeGuardOptions) {
    this.#options = options;
    const bounds = { clock: options.clock, limit: KEPT_LIMIT };
    this.#identities = new KeptAnswers({ ...bounds, keptMs: () => IDENTITY_MS });
    this.#rights = new KeptAnswers({ ...bounds, keptMs: (allowed) => (allowed ? ALLOWED_MS : FORBIDDEN_MS) });
  }

  /** Judges the value of an Authorization header. Never rejects. */
  async judge(authorization: string | undefined): Promise<ScrapeVerdict> {
    const [, token] = /^Bearer +([\w~+/.-]+=*) *$/i.exec(authorization ?? '') ?? [];
    if (token === undefined) return { type: 'unauthenticated', sentence: NO_TOKEN };
    if (token.length > TOKEN_LIMIT) return { type: 'unauthenticated', sentence: BAD_TOKEN };
    const key = hash('sha256', token);
    if (this.#identities.running >= RUNNING_LIMIT && !this.#identities.has(key))
      return { type: 'unknown', sentence: TOO_MANY };
    try {
      const identity = await this.#identities.obtain(key, () => this.#identify(token));
      if (identity === undefined) return { type: 'unauthenticated', sentence: BAD_TOKEN };
      const allowed = await this.#rights.obtain(JSON.stringify(identity), () => this.#mayRead(identity));
      return allowed ? { type: 'allowed' } : { type: 'forbidden', sentence: forbidden(identity) };
    } catch (error) {
      this.#warn(error);
      return { type: 'unknown', sentence: UNANSWERED };
    }
  }

  async #identify(token: string): Promise<Identity | undefined> {
    const status = await this.#review(TOKEN_REVIEWS, { token });
    const { user, authenticated } = status;
    if (authenticated !== true || !isRecord(user)) return undefined;
    const { username, uid, groups, extra } = user;
    return {
      user: typeof username === 'string' ? username : '',
      ...(typeof uid === 'string' && uid !== '' ? { uid } : {}),
      groups: Array.isArray(groups) ? groups.filter((group) => typeof group === 'string') : [],
      extra: isRecord(extra) ? extra : {},
    };
  }

  async #mayRead(identity: Identity): Promise<boolean> {
    const attributes = { path: METRICS_PATH, verb: 'get' };
    const status = await this.#review(SUBJECT_ACCESS_REVIEWS, { ...identity, nonResourceAttributes: attributes });
    return status['allowed'] === true;
  }

  /** Status of a review. Rejects with {@link ScrapeReviewFailed}. */
  async #review(type: ResourceType, spec: object): Promise<Readonly<Record<string, unknown>>> {
    try {
      return await askReview(this.#options.client, type, spec, this.#options);
    } catch (error) {
      throw new ScrapeReviewFailed(type, error);
    }
  }

  #warn(error: unknown): void {
    const { clock, log } = this.#options;
    if (clock.monotonic() < this.#quietUntilMs) return;
    this.#quietUntilMs = clock.monotonic() + WARNING_EVERY_MS;
    log.warn('Nobody can read the metrics', { err: error instanceof Error ? error : new Error(String(error)) });
  }
}

function forbidden({ user }: Identity): string {
  return `User ${JSON.stringify(user)} may not get the URL ${METRICS_PATH}; bind it to a ClusterRole that allows get on nonResourceURLs ${METRICS_PATH}.`;
}
