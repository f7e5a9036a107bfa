import type { FailurePolicy, HookPhase } from '../../../src/base/hook.ts';
import type { HttpAnswer } from '../../../src/admission/answer.ts';
import { applyPatch } from '../../../src/admission/json-patch.ts';

/** What the API server does with the request of its own client. */
export type ApiOutcome =
  | { readonly type: 'stored'; readonly object: unknown; readonly warnings: readonly string[]; readonly open: boolean }
  | { readonly type: 'refused'; readonly code: number; readonly message: string }
  | { readonly type: 'retried' };

/** The call that was answered. */
export interface ModelCall {
  readonly uid: string;
  readonly phase: HookPhase;
  readonly policy: FailurePolicy;
  readonly object: unknown;
}

interface Envelope {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly response?: { readonly uid?: string; readonly patch?: string; readonly patchType?: string };
}

/**
 * A literal model of what apiserver 1.37 does with a webhook's answer (webhook/request/admissionreview.go, errors/statuserror.go,
 * client-go with_retry.go), as observed on a live one.
 */
export function apiServerOutcome(answer: HttpAnswer, call: ModelCall): ApiOutcome {
  if ((answer.status === 429 || answer.status >= 500) && /^[0-9]+$/.test(answer.headers['retry-after'] ?? '')) {
    return { type: 'retried' };
  }
  if (answer.status < 200 || answer.status > 206) return callingError(call, JSON.parse(answer.body).message);
  const envelope = JSON.parse(answer.body);
  const problem = problemOf(envelope, call);
  if (problem !== undefined) return callingError(call, problem);
  const { allowed, patch, warnings = [], status } = envelope.response;
  if (allowed !== true) return denial(status);
  return patch === undefined
    ? { type: 'stored', object: call.object, warnings, open: false }
    : patched(call, patch, warnings);
}

/** What makes an answer no answer: a calling error, which failurePolicy governs. */
function problemOf({ apiVersion, kind, response }: Envelope, call: ModelCall): string | undefined {
  if (apiVersion !== 'admission.k8s.io/v1' || kind !== 'AdmissionReview') return 'unknown conversion';
  if (response?.uid !== call.uid) return 'expected response.uid';
  const { patch, patchType } = response;
  if (call.phase !== 'mutate' && (patch !== undefined || patchType !== undefined)) {
    return 'validating webhook may not return response.patch';
  }
  return (patch === undefined) === (patchType === undefined) ? undefined : 'patch and patchType go together';
}

/** A patch that does not apply is an error under both policies. */
function patched(call: ModelCall, patch: string, warnings: readonly string[]): ApiOutcome {
  if (call.object === null) return { type: 'refused', code: 500, message: 'patch without object' };
  try {
    const operations = JSON.parse(Buffer.from(patch, 'base64').toString());
    return { type: 'stored', object: applyPatch(call.object, operations), warnings, open: false };
  } catch {
    return { type: 'refused', code: 500, message: 'error in patch' };
  }
}

function callingError(call: ModelCall, message: string): ApiOutcome {
  return call.policy === 'Ignore'
    ? { type: 'stored', object: call.object, warnings: [], open: true }
    : { type: 'refused', code: 500, message: `failed calling webhook: failed to call webhook: ${message}` };
}

function denial(status: { readonly code?: number; readonly message?: string } | undefined): ApiOutcome {
  const code = status?.code ?? 0;
  return { type: 'refused', code: code < 400 ? 400 : code, message: `denied the request: ${status?.message ?? ''}` };
}
