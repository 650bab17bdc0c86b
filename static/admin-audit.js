import { choicesOf, wordsForCode, wordsForRecord } from './admin-acts.js';
import { api } from './admin-api.js';
import { createList } from './admin-list.js';
import { partNamed, rowOf } from './admin-parts.js';
import { addressOf } from './admin-place.js';
import { fill, partsOf } from './parts.js';
import { listed, t } from './words.js';

/** @import { AuditRecord, Page } from './types.d.ts' */

/** Who acted, where the record has no user to link to. @type {Record<AuditRecord['by'], string>} */
const roles = {
  self: t('console_by_user'),
  admin: t('console_by_administrator'),
  cli: t('console_at_the_command_line_by'),
  host: t('console_by_the_application'),
  system: t('console_by_itself'),
};

const outcomes = /** @type {const} */ (['ok', 'refused', 'failed']);

/** Creates the list of audit records. */
export function createAudit() {
  const list = createList({
    name: 'audit',
    counted: values => t('console_count_records', values),
    load: ({ limit, after }, show, { actor, subject, operation, from, to }) =>
      api.auditRecords({
        ...{ limit, after, actor, subject, operation },
        outcome: outcomes.find(each => each === show),
        isLook: show === 'reads' ? null : false,
        withAddresses: true,
        since: startOf(from),
        // The day itself is included.
        until: startOf(to, 1),
      }),
    rowFor: rowFor('audit-row'),
  });
  // A host's own template may be older, and have a field for text there.
  for (const select of partsOf('select[name="operation"]', list.section)) {
    const choices = choicesOf();
    select.append(...choices.map(({ name, words }) => new Option(words, name)));
  }
  return list;
}

/** How many records the page of an account shows. */
const mostOfUser = 10;

/**
 * Creates the records on the page of an account; undefined where none are kept, or a host's own template has no place.
 * @param {HTMLElement} root
 */
export function createUserAudit(root) {
  const [section] = partsOf('section[id="user-audit"]', root);
  if (!section) return undefined;
  return {
    /** @param {string} id */
    load: id => api.auditRecords({ subject: id, limit: mostOfUser, isLook: false, withAddresses: true }),
    /** @param {Page<AuditRecord>} page */
    render({ items }) {
      partNamed(section, 'rows').replaceChildren(...items.map(rowFor('user-audit-row')));
      fill({ hasNone: items.length === 0 }, section);
    },
  };
}

/** @type {(template: string) => (record: AuditRecord) => HTMLElement} */
const rowFor = template => record => {
  const { by, actor, subject, outcome, changes, code, count } = record;
  const why = wordsForCode(code);
  const row = rowOf(template, {
    ...record,
    what: wordsForRecord(record),
    why: why ?? code,
    // It stands beside the words, so that a reader can search the log and the documents for it.
    codeOfWhy: why && code,
    role: roles[by],
    actor: record.actorEmail ?? actor,
    subject: record.subjectEmail ?? subject,
    hasActor: actor !== null || by === 'host',
    isOfAnother: actor !== subject && (actor !== null || by === 'host'),
    hasSubject: subject !== null && subject !== actor,
    changed: changes?.length ? t('console_changes', { names: listed(changes) }) : null,
    times: count > 1 ? t('console_times', { count }) : '',
    isOk: outcome === 'ok',
    isRefused: outcome === 'refused',
    isFailed: outcome === 'failed',
  });
  link(row, 'actor', by === 'cli' ? null : actor);
  link(row, 'subject', subject);
  return row;
};

/** Lets a name lead to the account. @type {(row: HTMLElement, name: string, id: string | null) => void} */
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
