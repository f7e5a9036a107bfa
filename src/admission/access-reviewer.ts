import { orAborted } from '../base/abort.ts';
import type { Clock } from '../base/clock.ts';
import { HomeostatError } from '../base/errors.ts';
import { KeptAnswers } from '../base/kept-answers.ts';
import { askReview } from '../kube/ask-review.ts';
import type { KubeClient } from '../kube/client.ts';
import { SUBJECT_ACCESS_REVIEWS } from '../kube/well-known.ts';
import type { UserInfo } from './review.ts';
import type { AccessRequest } from './slice.ts';
import type { TimeLimit } from './time-limit.ts';

/** Answers stay this long: a right that is taken away counts at the latest after that. */
const CACHE_MS = 30_000;
const CACHE_ENTRIES = 2000;

/** Asks the API server whether a user holds a right. */
export interface AccessReviewer {
  /**
   * Rejects with {@link AccessReviewFailed} when the API server did not answer, with the signal's reason when it fired. The
   * request itself may go on for other callers that wait for the same answer.
   */
  allowed(user: UserInfo, request: AccessRequest, limit: Pick<TimeLimit, 'signal'>): Promise<boolean>;
}

/** A SubjectAccessReview was not answered. Code `HOMEOSTAT_ACCESS_REVIEW_FAILED`; the API server's error is the cause. */
export class AccessReviewFailed extends HomeostatError {
  constructor(request: AccessRequest, cause: unknown) {
    super(
      'HOMEOSTAT_ACCESS_REVIEW_FAILED',
      `The SubjectAccessReview for verb ${request.verb} on ${request.resource} was not answered; the service account needs create on subjectaccessreviews.authorization.k8s.io`,
      { cause },
    );
  }
}

/**
 * An {@link AccessReviewer} by SubjectAccessReview. Equal questions asked at one time are one request; answers are kept for 30 s
 * per user, groups, verb and name. Failures are not kept.
 */
export function createAccessReviewer(client: KubeClient, clock: Clock, stop: AbortSignal): AccessReviewer {
  const answers = new KeptAnswers<boolean>({ clock, keptMs: () => CACHE_MS, limit: CACHE_ENTRIES });

  const ask = async (user: UserInfo, request: AccessRequest): Promise<boolean> => {
    try {
      const { allowed } = await askReview(client, SUBJECT_ACCESS_REVIEWS, specOf(user, request), { clock, stop });
      if (typeof allowed !== 'boolean') throw new Error('the answer has no status.allowed');
      return allowed;
    } catch (error) {
      throw new AccessReviewFailed(request, error);
    }
  };

  return {
    async allowed(user, request, limit) {
      const { verb, group, resource, namespace, name } = request;
      // Members of a user stand in one order; where those of its extra did not, the question would be asked once more.
      const key = JSON.stringify([user, verb, group, resource, namespace, name]);
      // Nearly always there; the limit's signal would cost a timer.
      const kept = answers.kept(key);
      if (kept !== undefined) return kept.answer;
      return orAborted(
        answers.obtain(key, () => ask(user, request)),
        limit.signal,
      );
    },
  };
}

function specOf(user: UserInfo, request: AccessRequest): object {
  const [resource = '', subresource] = request.resource.split('/');
  return {
    user: user.username,
    groups: user.groups,
    extra: user.extra,
    ...(user.uid === undefined ? {} : { uid: user.uid }),
    resourceAttributes: {
      verb: request.verb,
      group: request.group,
      resource,
      ...(subresource === undefined ? {} : { subresource }),
      ...(request.namespace === undefined ? {} : { namespace: request.namespace }),
      ...(request.name === undefined ? {} : { name: request.name }),
    },
  };
}
