import type { Hook } from '../base/hook.ts';
import { encodeReview } from './review.ts';
import type { FaultKind, Verdict } from './verdict.ts';

/** An HTTP answer, before any server has it. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A client that waits one second and then has less than this left cannot be helped by trying again. */
const RETRY_WORTH_MS = 2000;

interface FaultForm {
  readonly status: number;
  readonly reason: string;
  readonly sentence: string;
  /** Another try, perhaps at another Pod, may be answered: the connection is given up and a retry offered. */
  readonly elsewhere: boolean;
}

const FAULT_FORMS: Readonly<Record<FaultKind, FaultForm>> = {
  notReady: {
    status: 503,
    reason: 'ServiceUnavailable',
    sentence:
      'Homeostat has not read all it needs from the cluster to judge this object; try again in a few seconds, and look at its log if this stays',
    elsewhere: true,
  },
  draining: {
    status: 503,
    reason: 'ServiceUnavailable',
    sentence: 'This instance of Homeostat is shutting down; try again in a few seconds',
    elsewhere: true,
  },
  overloaded: {
    status: 503,
    reason: 'ServiceUnavailable',
    sentence: 'Homeostat is answering as many admission requests as it can hold; try again in a few seconds',
    elsewhere: true,
  },
  deadline: {
    status: 503,
    reason: 'ServiceUnavailable',
    sentence:
      'Homeostat could not decide within the time this webhook has; try again, and look at its log if this stays',
    elsewhere: false,
  },
  badReview: {
    status: 400,
    reason: 'BadRequest',
    sentence:
      'Homeostat cannot read this request as an AdmissionReview v1 of this webhook; compare the webhook configuration with the version of Homeostat',
    elsewhere: false,
  },
  bug: {
    status: 500,
    reason: 'InternalError',
    sentence: 'Homeostat failed while judging this object, which is a mistake in Homeostat; its log has the details',
    elsewhere: false,
  },
};

/**
 * The answer for a verdict. A Fault is a `Status` whose message reaches the user (`failed to call webhook: ...`): one fixed sentence
 * and the uid of the request, never an inner error.
 *
 * `Retry-After` makes the API server send the request again within the hook's own timeout; it is offered only under Fail,
 * where the alternative is an error, and only while there is time for it.
 */
export function answerOf(
  hook: Pick<Hook, 'failurePolicy'>,
  uid: string,
  verdict: Verdict,
  remainingMs: number,
): HttpAnswer {
  if (verdict.type !== 'fault') return jsonAnswer(200, encodeReview(uid, verdict), {});
  const { status, reason, sentence, elsewhere } = FAULT_FORMS[verdict.kind];
  const retry = elsewhere && hook.failurePolicy === 'Fail' && remainingMs > RETRY_WORTH_MS;
  return statusAnswer(status, reason, uid === '' ? sentence : `${sentence} (request ${uid})`, {
    ...(elsewhere ? { connection: 'close' } : {}),
    ...(retry ? { 'retry-after': '1' } : {}),
  });
}

/** An answer that carries a metav1.Status failure. */
export function statusAnswer(
  status: number,
  reason: string,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): HttpAnswer {
  const body = { apiVersion: 'v1', kind: 'Status', metadata: {}, status: 'Failure', code: status, reason, message };
  return jsonAnswer(status, JSON.stringify(body), headers);
}

function jsonAnswer(status: number, body: string, headers: Readonly<Record<string, string>>): HttpAnswer {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body };
}
