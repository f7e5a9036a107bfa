import {
  type Context,
  context,
  type Span as ApiSpan,
  type Attributes as ApiAttributes,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer as ApiTracer,
} from '@opentelemetry/api';
import { errorText } from '../base/errors.ts';
import { SILENT_TRACER, type Span, type SpanAttributes, type SpanStart, type Tracer } from '../base/tracer.ts';
import { redact } from './redact.ts';

const SCOPE = 'homeostat';

const KINDS: Readonly<Record<SpanStart['kind'], SpanKind>> = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  internal: SpanKind.INTERNAL,
};

/**
 * The tracer of the OpenTelemetry SDK that is loaded in this process, which decides what is sampled and where spans go; where none is
 * loaded, one that records nothing. An SDK must be there before: `node --import`.
 */
export function loadedTracer(version: string): Tracer {
  return isSdkLoaded() ? new ApiBackedTracer(trace.getTracer(SCOPE, version)) : SILENT_TRACER;
}

/** The API's own provider has a tracer to give once an SDK has put its provider behind it. */
function isSdkLoaded(): boolean {
  const provider = trace.getTracerProvider();
  return !isDelegating(provider) || provider.getDelegateTracer(SCOPE) !== undefined;
}

/** The provider of the API itself, be it of another copy of that package. */
interface Delegating {
  getDelegateTracer(name: string): ApiTracer | undefined;
}

function isDelegating(provider: object): provider is Delegating {
  return 'getDelegateTracer' in provider && typeof provider.getDelegateTracer === 'function';
}

class ApiBackedTracer implements Tracer {
  readonly #tracer: ApiTracer;

  constructor(tracer: ApiTracer) {
    this.#tracer = tracer;
  }

  unit<T>(start: SpanStart, work: (span: Span) => Promise<T>): Promise<T> {
    return this.#span(start, true, work);
  }

  part<T>(start: SpanStart, work: (span: Span) => Promise<T>): Promise<T> {
    // A loop that a unit began goes on in its context when the unit is long over.
    const under = trace.getActiveSpan()?.isRecording() === true;
    return under ? this.#span(start, false, work) : SILENT_TRACER.part(start, work);
  }

  #span<T>(start: SpanStart, isUnit: boolean, work: (span: Span) => Promise<T>): Promise<T> {
    const { name, kind, attributes, carrier } = start;
    const options = { kind: KINDS[kind], root: isUnit && carrier === undefined };
    return this.#tracer.startActiveSpan(name, options, parentOf(carrier), async (span) => {
      if (attributes !== undefined && span.isRecording()) span.setAttributes(known(attributes()));
      try {
        return await work(new ApiBackedSpan(span));
      } catch (error) {
        fail(span, error);
        throw error;
      } finally {
        span.end();
      }
    });
  }
}

class ApiBackedSpan implements Span {
  readonly #span: ApiSpan;
  readonly recorded: boolean;

  constructor(span: ApiSpan) {
    this.#span = span;
    this.recorded = span.isRecording();
  }

  set(attributes: SpanAttributes): void {
    this.#span.setAttributes(known(attributes));
  }

  fail(cause: unknown): void {
    fail(this.#span, cause);
  }

  headers(): Readonly<Record<string, string>> {
    const headers: Record<string, string> = {};
    // Nothing else that travels with the trace is for the API server.
    propagation.inject(trace.setSpan(ROOT_CONTEXT, this.#span), headers);
    return headers;
  }
}

/** An SDK that watches HTTP servers itself has a span for the request already; the caller's is that one's parent. */
function parentOf(carrier: SpanStart['carrier']): Context {
  const active = context.active();
  return carrier === undefined || trace.getSpan(active) !== undefined ? active : propagation.extract(active, carrier);
}

/** Errors are recorded as the log writes them: without what looks like a credential. */
function fail(span: ApiSpan, cause: unknown): void {
  const message = redact(errorText(cause));
  span.setStatus({ code: SpanStatusCode.ERROR, message });
  if (!(cause instanceof Error)) return;
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.name;
  span.setAttribute('error.type', code);
  span.recordException({ name: cause.name, message, code, stack: redact(cause.stack ?? '') });
}

function known(attributes: SpanAttributes): ApiAttributes {
  const present: ApiAttributes = {};
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined) present[name] = typeof value === 'object' ? [...value] : value;
  }
  return present;
}
