import { findOptional } from '../optional.ts';

/** Ends a span with how its operation ended. */
export type EndSpan = (outcome: string, hasFailed: boolean) => void;

/** Where spans are made. The types of the optional package stay in here: a host need not have them. */
export interface Tracing {
  /** Runs the work within a span, so that what it calls is told below it; without one when nobody records. */
  within<R>(operation: string, work: (end?: EndSpan) => Promise<R>): Promise<R>;
}

/**
 * Spans for whoever has set OpenTelemetry up: one an operation, with its name and how it ended, and nothing of whom.
 * Null without the package; without a provider the package itself makes spans that record nothing.
 */
export async function openTracing(version: string): Promise<Tracing | null> {
  const api = await findOptional('@opentelemetry/api', () => import('@opentelemetry/api'));
  if (!api) return null;
  const { context, trace, SpanStatusCode } = api;
  const tracer = trace.getTracer('gatehouse', version);

  return {
    within(operation, work) {
      const attributes = { 'gatehouse.operation': operation };
      const span = tracer.startSpan(`gatehouse.${operation}`, { attributes });
      if (!span.isRecording()) return work();
      const end: EndSpan = (outcome, hasFailed) => {
        span.setAttribute('gatehouse.outcome', outcome);
        if (hasFailed) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end();
      };
      return context.with(trace.setSpan(context.active(), span), () => work(end));
    },
  };
}
