import { createHash } from 'node:crypto';
import { isIP } from 'node:net';
import { type Schedule, scheduleOnTimer, withinTime } from '../../clock.ts';
import { createOrderedIds } from '../../crypto/ordered-ids.ts';
import { deviceOf } from '../../domain/device.ts';
import { storageReason } from '../../errors.ts';
import { clientOf } from '../../limits/client.ts';
import type { Logger } from '../../logger.ts';
import type { AuditRecord } from '../../observability/audit.ts';
import type { StoredAuditRecord } from './table.ts';

/** Audit records that the log has because the database could not take them, or not in time, since the process began. */
export interface AuditState {
  unstored: { failed: number; late: number };
  /** Whether the latest record was one of them. */
  isFailing: boolean;
}

/** Writes one row: a row with a `fold` that is there already is added to instead. */
type Add = (row: StoredAuditRecord) => Promise<void>;

interface AuditStoreParts {
  add: Add;
  logger: Logger;
  /** How the time that an answer may wait is measured. */
  schedule?: Schedule | undefined;
}

/**
 * How long an answer waits for its record, in milliseconds: what a request may take (three seconds, CONTRACT §4.5), less
 * what its own last call of the database may have taken.
 */
const longestWaitMs = 800;
/** The time in which equal refusals are one record, in milliseconds (CONTRACT §12.3). */
const foldMs = 60_000;

/**
 * Stores audit records (CONTRACT §12.3). Refusals of callers without a session are one row per operation, code, subject and
 * client address a minute, for all processes together: a hash of these is unique, and one statement inserts the row or adds
 * to its count.
 */
export function createAuditStore({ add, logger, schedule = scheduleOnTimer }: AuditStoreParts) {
  const state: AuditState = { unstored: { failed: 0, late: 0 }, isFailing: false };
  const write = inTurn(add);
  const nextId = createOrderedIds();
  /** A process that was busy for so long has yet to read what the database responded. */
  const afterReading: Schedule = (ms, run) => schedule(ms, () => setImmediate(run));

  function rowOf(record: AuditRecord, userAgent: string | undefined): StoredAuditRecord {
    const { act, by, actor, subject, outcome, reason, changes, count = 1 } = record;
    const at = new Date(record.at);
    // Where every proxy is trusted, a client can send any text as its address.
    const ip = isIP(record.ip ?? '') ? record.ip : null;
    const isFolded = outcome !== 'ok' && actor === null && by !== 'cli';
    const minute = Math.floor(at.getTime() / foldMs);
    return {
      id: nextId(at.getTime()),
      at,
      operation: act,
      ...{ by, actor, subject, outcome },
      code: reason,
      changes: changes?.join(',') ?? null,
      count,
      ip,
      requestId: record.request_id,
      device: deviceOf(userAgent),
      fold: isFolded ? hashOf([act, by, outcome, reason, subject, clientOf(ip), minute]) : null,
    };
  }

  /** Counts a record that is not stored, and logs why, once in an outage. */
  function missed(error: unknown): false {
    const isLate = error === late;
    state.unstored[isLate ? 'late' : 'failed']++;
    const reason = isLate
      ? `not within ${longestWaitMs} ms`
      : (storageReason(error) ?? 'the database refused');
    if (!state.isFailing) logger.warn({ reason }, 'audit records cannot be stored; the log has them instead');
    state.isFailing = true;
    return false;
  }

  return {
    state,

    /**
     * Stores a record before its act is answered. Returns false when it could not be stored, or not in time: then it may be
     * there later nevertheless.
     */
    async store(record: AuditRecord, userAgent: string | undefined): Promise<boolean> {
      const storing = () => write(rowOf(record, userAgent));
      try {
        await withinTime(afterReading, longestWaitMs, storing, () => {
          throw late;
        });
        state.isFailing = false;
        return true;
      } catch (error) {
        return missed(error);
      }
    },
  };
}

const hashOf = (parts: unknown[]) => createHash('sha256').update(JSON.stringify(parts)).digest('base64url');

/**
 * Returns a function that writes rows, those of one fold one after another: what arrives while such a row is being written
 * becomes one more write, so that a flood never has more than two under way.
 */
function inTurn(add: Add): Add {
  const written = new Map<string, Promise<void>>();
  const waiting = new Map<string, { row: StoredAuditRecord; done: Promise<void> }>();

  function begin(fold: string, row: StoredAuditRecord): Promise<void> {
    const done = add(row);
    const ended = done.catch(() => {});
    written.set(fold, ended);
    void ended.then(() => written.get(fold) === ended && written.delete(fold));
    return done;
  }

  return row => {
    const { fold } = row;
    if (fold === null) return add(row);
    const next = waiting.get(fold);
    if (next) {
      next.row = { ...next.row, count: next.row.count + 1 };
      return next.done;
    }
    const current = written.get(fold);
    if (!current) return begin(fold, row);
    const own = { row, done: Promise.resolve() };
    own.done = current.then(() => {
      waiting.delete(fold);
      return begin(fold, own.row);
    });
    waiting.set(fold, own);
    return own.done;
  };
}

const late = new Error('The record was not stored in time.');
