import { context, propagation, SpanStatusCode, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { CompositePropagator, W3CBaggagePropagator, W3CTraceContextPropagator } from '@opentelemetry/core';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';

/** Spans as an SDK gets them. */
export interface RecordedSpans {
  /** All that have ended, the last one last. */
  readonly all: readonly ReadableSpan[];
  /** As a tree of lines: a span's name below that of its parent, two spaces further in, with `!` where it failed. */
  readonly tree: readonly string[];
  named(name: string): ReadableSpan;
  forget(): void;
}

/** Loads an SDK that keeps spans in memory. There is one a process: call it once, before a tracer is asked for. */
export function recordSpans(): RecordedSpans {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const propagators = [new W3CTraceContextPropagator(), new W3CBaggagePropagator()];
  propagation.setGlobalPropagator(new CompositePropagator({ propagators }));
  trace.setGlobalTracerProvider(provider);
  return {
    get all() {
      return exporter.getFinishedSpans();
    },
    get tree() {
      return linesOf(exporter.getFinishedSpans(), undefined, '');
    },
    named: (name) => {
      const span = exporter.getFinishedSpans().find((candidate) => candidate.name === name);
      if (span === undefined) throw new Error(`There is no span ${name}.`);
      return span;
    },
    forget: () => exporter.reset(),
  };
}

function linesOf(spans: readonly ReadableSpan[], parent: ReadableSpan | undefined, indent: string): readonly string[] {
  const known = new Set(spans.map((span) => span.spanContext().spanId));
  return spans
    .filter(({ parentSpanContext: above }) =>
      parent === undefined
        ? above === undefined || !known.has(above.spanId)
        : above?.spanId === parent.spanContext().spanId,
    )
    .toSorted((a, b) => a.startTime[0] - b.startTime[0] || a.startTime[1] - b.startTime[1])
    .flatMap((span) => {
      const failed = span.status.code === SpanStatusCode.ERROR ? ' !' : '';
      return [`${indent}${span.name}${failed}`, ...linesOf(spans, span, `${indent}  `)];
    });
}
