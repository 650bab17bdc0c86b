import { GatehouseError } from '../errors.ts';
import type { Audit, AuditRecord, Outcome } from './audit.ts';
import type { Metrics } from './metrics.ts';
import type { Tracing } from './tracing.ts';

/** One call of an operation, with what is known before it begins. */
export interface Call {
  operation: string;
  by: AuditRecord['by'];
  /** Where it is false, nothing tells who called from where. */
  isAudited: boolean;
  /** Where only some calls are relevant to security: those that were refused, or those that look at others (`Trail.count`). */
  only?: 'refusals' | 'looks' | undefined;
  ip: string | null;
  requestId: string | null;
  userAgent?: string | undefined;
}

/**
 * Who calls and from where, and what becomes known of the call while it runs: the code that learns it records it here.
 */
export interface Trail extends Readonly<Pick<Call, 'ip'>> {
  /** Whose act it is. What Gatehouse does by itself concerns no person: there it counts as an operator's. */
  by: Exclude<Call['by'], 'system'>;
  /** The id of the user whose session it is; on the command line the operating-system user. */
  actor: string | null;
  /** The id of the user whom the call concerns. */
  subject: string | null;
  /** The email address in the input. */
  email: string | null;
  /** The changes of the call, where the name of the operation does not say them. */
  changes?: string[];
  /** How many accounts of others were looked at, where one call looks at several. */
  count?: number;
  /** Whether nothing has happened that is relevant to security. */
  isNothing?: boolean;
  /** Why it was refused, where the refusal is a regular response and not an error. */
  refusal?: string;
}

/** How a call ended. The reason is an error code, or the status of the response for what is still required. */
interface Ending {
  outcome: Outcome;
  reason: string | null;
}

/** A call that is observed. Its end is recorded once: when a step fails, or when its last step ends. */
export interface Observation {
  readonly trail: Trail;
  /** Runs a step before the last one. Its failure ends the call. */
  step<R>(work: () => Promise<R>): Promise<R>;
  /** Runs the last step. Its result ends the call. */
  finish<R>(work: () => Promise<R>): Promise<R>;
}

/** Starts to observe a call. */
export type Watch = (call: Call) => Observation;

interface WatchParts {
  audit: Pick<Audit, 'write'>;
  metrics: Metrics | null;
  tracing: Tracing | null;
  /** The operating-system user who runs the commands of this process. */
  osUser: string | null;
}

/**
 * Returns the function that observes calls and records how each ended: in the audit trail, the metrics and the trace. A call
 * is not answered before its record is written.
 */
export function createWatch({ audit, metrics, tracing, osUser }: WatchParts): Watch {
  function record(call: Call, trail: Trail, { outcome, reason }: Ending): Promise<void> {
    const { operation: act, ip, requestId: request_id, userAgent } = call;
    const { actor, subject, email, changes = null, count } = trail;
    const by = call.by === 'system' ? call.by : trail.by;
    const known = { act, outcome, reason, by, actor, subject, changes, ip, request_id };
    const record = count === undefined ? known : { ...known, count };
    // A refused command reports the refusal itself, in its one line of output.
    return audit.write({ record, email, userAgent, isSaid: by === 'cli' && outcome !== 'ok' });
  }

  return call => {
    const { by, ip } = call;
    const actor = by === 'cli' ? osUser : null;
    const trail: Trail = { by: by === 'system' ? 'cli' : by, ip, actor, subject: null, email: null };
    const startedAt = metrics && performance.now();
    const span = tracing?.start(call.operation);

    async function end(ending: Ending): Promise<void> {
      if (call.isAudited && isRelevant(call, trail, ending)) await record(call, trail, ending);
      if (startedAt !== null) {
        metrics?.operation(call.operation, wordFor(ending), (performance.now() - startedAt) / 1000);
      }
      span?.end(wordFor(ending), ending.outcome === 'failed');
    }
    const isObserved = call.isAudited || startedAt !== null || span !== undefined;

    async function step<R>(work: () => Promise<R>): Promise<R> {
      try {
        return await (span ? span.within(work) : work());
      } catch (error) {
        if (isObserved) await end(endingOfError(error));
        throw error;
      }
    }

    return {
      trail,
      step,
      async finish(work) {
        const result = await step(work);
        if (isObserved) await end(endingOf(result, trail));
        return result;
      },
    };
  };
}

/** Returns whether a call that is audited is relevant to security, now that it has ended. */
function isRelevant({ only }: Call, { isNothing, count }: Trail, { outcome }: Ending): boolean {
  if (isNothing) return false;
  if (only === 'refusals') return outcome !== 'ok';
  return only !== 'looks' || count !== undefined;
}

/** Returns the outcome as one word of a small set, for a metrics label. */
const wordFor = ({ outcome, reason }: Ending) => (outcome === 'ok' ? 'ok' : (reason ?? outcome));

function endingOf(result: unknown, { refusal }: Trail): Ending {
  if (refusal !== undefined) return { outcome: 'refused', reason: refusal };
  const { status } = (result ?? {}) as { status?: unknown };
  return { outcome: 'ok', reason: typeof status === 'string' ? status : null };
}

/** An outage or a defect is the server's failure; any other error is a regular response. */
function endingOfError(error: unknown): Ending {
  if (!(error instanceof GatehouseError)) return { outcome: 'failed', reason: 'internal_error' };
  const isOurs = error.kind === 'unavailable' || error.kind === 'internal';
  return { outcome: isOurs ? 'failed' : 'refused', reason: error.code };
}
