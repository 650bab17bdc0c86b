import { api } from './admin-api.js';
import { createList } from './admin-list.js';
import { rowOf } from './admin-parts.js';
import { addressOf } from './admin-place.js';
import { partsOf } from './parts.js';
import { counted } from './words.js';

/** @import { AuditRecord } from './types.d.ts' */

/** Who acted, where the record has no user to link to. @type {Record<AuditRecord['by'], string>} */
const roles = {
  self: 'By user',
  admin: 'By administrator',
  cli: 'At the command line, by',
  host: 'By the application',
};

const outcomes = /** @type {const} */ (['ok', 'refused', 'failed']);

/** Creates the list of audit records. */
export function createAudit() {
  return createList({
    name: 'audit',
    nouns: ['record', 'records'],
    load: ({ limit, after }, outcome, { actor, subject, operation, from, to }) =>
      api.auditRecords({
        ...{ limit, after, actor, subject, operation },
        outcome: outcomes.find(each => each === outcome),
        since: startOf(from),
        // The day itself is included.
        until: startOf(to, 1),
      }),
    rowFor(record) {
      const { by, actor, subject, outcome, changes, count } = record;
      const row = rowOf('audit-row', {
        ...record,
        role: roles[by],
        hasActor: actor !== null || by === 'host',
        hasSubject: subject !== null && subject !== actor,
        changed: changes && `Changes: ${changes.join(', ')}`,
        times: count > 1 ? counted(count, ['time', 'times']) : '',
        isOk: outcome === 'ok',
        isRefused: outcome === 'refused',
        isFailed: outcome === 'failed',
      });
      link(row, 'actor', by === 'cli' ? null : actor);
      link(row, 'subject', subject);
      return row;
    },
  });
}

/** Lets an id lead to the account. @type {(row: HTMLElement, name: string, id: string | null) => void} */
function link(row, name, id) {
  for (const place of partsOf(`a[data-fill="${name}"]`, row)) {
    if (place instanceof HTMLAnchorElement && id !== null) place.href = addressOf('user', { id });
  }
}

/** Returns when a day begins where the operator is, or so many days later. @param {string} [day] @param {number} [later] */
function startOf(day, later = 0) {
  if (!day) return undefined;
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return new Date(year, month - 1, date + later).toISOString();
}
