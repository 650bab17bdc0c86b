import { findOptional } from '../optional.ts';

/** The span of one call of an operation. */
export interface Span {
  /** Runs the work within the span, so that the spans of its calls become children. */
  within<R>(work: () => Promise<R>): Promise<R>;
  /** Ends the span with the outcome of its operation. */
  end(outcome: string, hasFailed: boolean): void;
}

/** Creates spans. The types of the optional package stay in this file, because a host may not have it installed. */
export interface Tracing {
  /** Returns a new span, or undefined when nothing records it. */
  start(operation: string): Span | undefined;
}

/**
 * Opens tracing for hosts that have set up OpenTelemetry: one span per operation, with its name and outcome and no
 * personal data. Returns null without the package; without a provider the package creates spans that record nothing.
 */
export async function openTracing(version: string): Promise<Tracing | null> {
  const api = await findOptional('@opentelemetry/api', () => import('@opentelemetry/api'));
  if (!api) return null;
  const { context, trace, SpanStatusCode } = api;
  const tracer = trace.getTracer('gatehouse', version);

  return {
    start(operation) {
      const attributes = { 'gatehouse.operation': operation };
      const span = tracer.startSpan(`gatehouse.${operation}`, { attributes });
      if (!span.isRecording()) return undefined;
      const parent = trace.setSpan(context.active(), span);
      return {
        within: work => context.with(parent, work),
        end(outcome, hasFailed) {
          span.setAttribute('gatehouse.outcome', outcome);
          if (hasFailed) span.setStatus({ code: SpanStatusCode.ERROR });
          span.end();
        },
      };
    },
  };
}
