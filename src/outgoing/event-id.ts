import { createHash } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';

/**
 * Returns the id of an event, by which a receiver recognises duplicates: `msg_…`. An act that is repeated after a stop
 * gives its event the same id.
 * @param act identifies an act that may be repeated
 */
export const eventId = (prefix: 'msg' | 'evt', event: string, act?: string): string =>
  `${prefix}_${act === undefined ? uuidv7() : createHash('sha256').update(`${event} ${act}`).digest('base64url').slice(0, 27)}`;
