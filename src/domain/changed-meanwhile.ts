import { GatehouseError } from '../errors.ts';

/**
 * Returns the error for a compare-and-set that failed: another request changed the row between reading and writing. A
 * retry decides on the new state.
 */
export function concurrentChangeError(): GatehouseError {
  const detail = 'Another request changed it at the same time. Try again.';
  return new GatehouseError('unavailable', { detail, retryAfterSeconds: 1 });
}
