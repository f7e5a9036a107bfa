import type { Hook } from '../base/hook.ts';
import { groupResourceOf } from '../base/resource.ts';
import type { Span, SpanStart } from '../base/tracer.ts';
import type { Review } from './review.ts';
import type { Verdict } from './verdict.ts';

/** The span of one review that came with these headers, named and described as OpenTelemetry does a request to an HTTP server. */
export function reviewSpan(hook: Hook, headers: Readonly<Record<string, unknown>> = {}): SpanStart {
  return {
    name: `POST ${hook.path}`,
    kind: 'server',
    carrier: headers,
    attributes: () => ({
      'http.request.method': 'POST',
      'http.route': hook.path,
      'url.path': hook.path,
      'url.scheme': 'https',
      'homeostat.hook': hook.name,
    }),
  };
}

/** Says what a review was about and what came of it. A denial is an answer; only what could not be decided is a failure. */
export function describeVerdict(
  span: Span,
  {
    verdict,
    review,
    status,
  }: { readonly verdict: Verdict; readonly review: Review | undefined; readonly status: number },
): void {
  span.set({
    'http.response.status_code': status,
    'homeostat.verdict': verdict.type,
    ...(verdict.type === 'deny' ? { 'homeostat.reason': verdict.reason, 'homeostat.rules': verdict.rules } : {}),
  });
  if (review !== undefined) {
    span.set({
      'homeostat.review.uid': review.uid,
      'homeostat.review.operation': review.operation,
      'homeostat.review.dry_run': review.dryRun,
      'homeostat.resource': groupResourceOf(review.resource),
      'homeostat.object.name': review.name,
      'k8s.namespace.name': review.namespace === '' ? undefined : review.namespace,
    });
  }
  if (verdict.type === 'fault') span.fail(verdict.cause);
}
