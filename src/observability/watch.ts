import { GatehouseError } from '../errors.ts';
import type { Audit, AuditRecord, Outcome } from './audit.ts';
import type { Metrics } from './metrics.ts';
import type { EndSpan, Tracing } from './tracing.ts';

/** One call of an operation, as far as it is known before it begins. */
export interface Call {
  operation: string;
  by: AuditRecord['by'];
  isAudited: boolean;
  ip: string | null;
  requestId: string | null;
}

/** What becomes known of a call while it runs; whoever learns it writes it down here. */
export interface Trail {
  /** Id of the user whose session it is. */
  actor: string | null;
  /** Id of the user whom it is done to. */
  subject: string | null;
  /** The address that was given. */
  email: string | null;
  /** Why it was refused, where the refusal is an answer and not an error. */
  refusal?: string;
}

/** How a call ended; the reason is a code, or a word of the answer for what is still due. */
interface Ending {
  outcome: Outcome;
  reason: string | null;
}

export type Watch = ReturnType<typeof createWatch>;

interface WatchParts {
  audit: Audit;
  metrics: Metrics | null;
  tracing: Tracing | null;
}

/** Runs calls and tells how each ended: to the audit trail, to the metrics, to the trace. */
export function createWatch({ audit, metrics, tracing }: WatchParts) {
  function tell(call: Call, trail: Trail, { outcome, reason }: Ending): void {
    const { operation: act, by, ip, requestId: request_id } = call;
    const { actor, subject, email } = trail;
    audit({ act, outcome, reason, by, actor, subject, email, ip, request_id });
  }

  async function run<R>(call: Call, work: (trail: Trail) => Promise<R>, endSpan?: EndSpan) {
    const trail: Trail = { actor: null, subject: null, email: null };
    const startedAt = metrics && performance.now();
    const end = (ending: Ending) => {
      if (startedAt !== null) {
        metrics?.operation(call.operation, wordFor(ending), (performance.now() - startedAt) / 1000);
      }
      // A command that was refused says so itself, in the one line that it has.
      const isSaid = call.by === 'cli' && ending.outcome !== 'ok';
      if (call.isAudited && !isSaid) tell(call, trail, ending);
      endSpan?.(wordFor(ending), ending.outcome === 'failed');
    };
    try {
      const result = await work(trail);
      end(endingOf(result, trail));
      return result;
    } catch (error) {
      end(endingOfError(error));
      throw error;
    }
  }

  return <R>(call: Call, work: (trail: Trail) => Promise<R>): Promise<R> => {
    if (!tracing) return run(call, work);
    return tracing.within(call.operation, end => run(call, work, end));
  };
}

/** One word of a small set, as a label asks for. */
const wordFor = ({ outcome, reason }: Ending) => (outcome === 'ok' ? 'ok' : (reason ?? outcome));

function endingOf(result: unknown, { refusal }: Trail): Ending {
  if (refusal !== undefined) return { outcome: 'refused', reason: refusal };
  const { status } = (result ?? {}) as { status?: unknown };
  return { outcome: 'ok', reason: typeof status === 'string' ? status : null };
}

/** An outage or a defect is ours; anything else is an answer. */
function endingOfError(error: unknown): Ending {
  if (!(error instanceof GatehouseError)) return { outcome: 'failed', reason: 'internal_error' };
  const isOurs = error.kind === 'unavailable' || error.kind === 'internal';
  return { outcome: isOurs ? 'failed' : 'refused', reason: error.code };
}
