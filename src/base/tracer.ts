/** What a span says about its work. Never an object's content, a token or a Secret. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/** A span that is about to begin. */
export interface SpanStart {
  /** Of few different values: `reconcile environment`, `GET configmaps`. What differs from object to object is an attribute. */
  readonly name: string;
  /** Whether the work answers a request, sends one, or neither. */
  readonly kind: 'server' | 'client' | 'internal';
  /** Asked for only where the span is recorded. */
  readonly attributes?: () => SpanAttributes;
  /** Headers of the request that is answered: a span of the caller's that they name becomes the parent. Without them a unit has none. */
  readonly carrier?: Readonly<Record<string, unknown>>;
}

/** A span under way. It ends with its work. */
export interface Span {
  /** Whether anybody will see it: what is dear to put together need not be, else. */
  readonly recorded: boolean;
  set(attributes: SpanAttributes): void;
  /** Says that the work failed; an Error, or the sentence that tells why. */
  fail(cause: unknown): void;
  /** Headers that make a request sent from here part of the trace. */
  headers(): Readonly<Record<string, string>>;
}

/** Traces as a port. */
export interface Tracer {
  /** Does work as a unit of its own: a review, a reconcile. Fails the span when the work rejects, and passes that on. */
  unit<T>(start: SpanStart, work: (span: Span) => Promise<T>): Promise<T>;
  /** Does a part of the unit under way. Outside of any unit there is no span: what nobody asked for is no trace of its own. */
  part<T>(start: SpanStart, work: (span: Span) => Promise<T>): Promise<T>;
}

const SILENT_SPAN: Span = {
  recorded: false,
  set: () => undefined,
  fail: () => undefined,
  headers: () => ({}),
};

/** Records nothing. */
export const SILENT_TRACER: Tracer = {
  unit: (_start, work) => work(SILENT_SPAN),
  part: (_start, work) => work(SILENT_SPAN),
};
