import { deadline } from '../base/abort.ts';
import type { Clock } from '../base/clock.ts';
import { isRecord } from '../base/json.ts';
import { apiVersionOf, type ResourceType } from '../base/resource.ts';
import type { KubeClient } from './client.ts';

const TIMEOUT_MS = 5000;

/**
 * Asks the API server a question that it answers in the status of an object it does not store: a TokenReview or a
 * SubjectAccessReview. Resolves with that status. Rejects as the client does, when there is none, and after 5 s; `stop` ends it.
 */
export async function askReview(
  client: KubeClient,
  type: ResourceType,
  spec: object,
  { clock, stop }: { readonly clock: Clock; readonly stop: AbortSignal },
): Promise<Readonly<Record<string, unknown>>> {
  const limit = deadline(clock, TIMEOUT_MS, stop, () => new Error(`no answer within ${TIMEOUT_MS / 1000} s`));
  try {
    const question = { apiVersion: apiVersionOf(type), kind: type.kind, metadata: { name: '' }, spec };
    const { status } = await client.create(type, question, { signal: limit.signal });
    if (!isRecord(status)) throw new Error('the answer has no status');
    return status;
  } finally {
    limit.cancel();
  }
}
