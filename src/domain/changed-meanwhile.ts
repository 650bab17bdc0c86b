import { GatehouseError } from '../errors.ts';
import { say } from '../words/said.ts';

/**
 * Returns the error for a compare-and-set that failed: another request changed the row between reading and writing. A
 * retry decides on the new state.
 */
export function concurrentChangeError(): GatehouseError {
  return new GatehouseError('unavailable', { detail: say('error_changed_meanwhile'), retryAfterSeconds: 1 });
}
