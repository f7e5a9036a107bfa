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

/**
 * A literal model of what apiserver 1.37 does with a webhook's answer (webhook/request/admissionreview.go, errors/statuserror.go,
 * client-go with_retry.go), as observed on a live one.
 */
export function apiServerOutcome(answer: HttpAnswer, call: ModelCall): ApiOutcome {
  if ((answer.status === 429 || answer.status >= 500) && /^[0-9]+$/.test(answer.headers['retry-after'] ?? '')) {
    return { type: 'retried' };
  }
  if (answer.status < 200 || answer.status > 206) return callingError(call, JSON.parse(answer.body).message);
  const { apiVersion, kind, response } = JSON.parse(answer.body);
  if (apiVersion !== 'admission.k8s.io/v1' || kind !== 'AdmissionReview')
    return callingError(call, 'unknown conversion');
  if (response === undefined || response.uid !== call.uid) return callingError(call, 'expected response.uid');
  const { patch, patchType, warnings = [] } = response;
  if (call.phase !== 'mutate' && (patch !== undefined || patchType !== undefined)) {
    return callingError(call, 'validating webhook may not return response.patch');
  }
  if ((patch === undefined) !== (patchType === undefined)) return callingError(call, 'patch and patchType go together');
  if (response.allowed !== true) return denial(response.status);
  if (patch === undefined) return { type: 'stored', object: call.object, warnings, open: false };
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
