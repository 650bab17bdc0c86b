import type { Span } from '@opentelemetry/api';

export type Tracing = Awaited<ReturnType<typeof openTracing>>;

/**
 * Spans for whoever has set OpenTelemetry up: one an operation, with its name and how it ended, and nothing of whom.
 * Null without the package; without a provider the package itself makes spans that record nothing.
 */
export async function openTracing(version: string) {
  const api = await import('@opentelemetry/api').catch(() => null);
  if (!api) return null;
  const { context, trace, SpanStatusCode } = api;
  const tracer = trace.getTracer('gatehouse', version);
  const failed = { code: SpanStatusCode.ERROR };

  return {
    /** Runs the work within a span, so that what it calls is told below it; without one when nobody records. */
    within<R>(operation: string, work: (span?: Span) => Promise<R>): Promise<R> {
      const attributes = { 'gatehouse.operation': operation };
      const span = tracer.startSpan(`gatehouse.${operation}`, { attributes });
      if (!span.isRecording()) return work();
      return context.with(trace.setSpan(context.active(), span), work, undefined, span);
    },

    end(span: Span, outcome: string, hasFailed: boolean): void {
      span.setAttribute('gatehouse.outcome', outcome);
      if (hasFailed) span.setStatus(failed);
      span.end();
    },
  };
}
