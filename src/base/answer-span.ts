import type { Span } from './tracer.ts';

/** Says on the span of a request what the server answered, as OpenTelemetry does: a status from 400 up is a failure. */
export function describeAnswer(span: Span, server: string, status: number): void {
  span.set({ 'http.response.status_code': status });
  if (status < 400) return;
  span.set({ 'error.type': String(status) });
  span.fail(`${server} answered ${status}`);
}
