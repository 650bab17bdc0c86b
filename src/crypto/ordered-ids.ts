import { randomInt } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';

/** Where a millisecond begins to count: a random number, with room for as many ids as are made in it. */
const firstOfMillisecond = () => randomInt(2 ** 30);

/**
 * Returns a function that makes ids of a time in milliseconds: UUIDv7, whose text sorts by time. Those of one millisecond
 * are counted (RFC 9562 §6.2, method 1), so that they sort in the order in which they were made.
 */
export function createOrderedIds(): (msecs: number) => string {
  let former = Number.NaN;
  let seq = 0;
  return msecs => {
    seq = msecs === former ? seq + 1 : firstOfMillisecond();
    former = msecs;
    return uuidv7({ msecs, seq });
  };
}
