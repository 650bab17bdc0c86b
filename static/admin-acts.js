// The acts of audit records, in the words of the console: of people, of administrators, and of operators.
import { wordsForReturn } from './sentences.js';
import { consoleActs, idOfAct, isConsoleAct, isReason, t } from './words.js';

/** @import { AuditRecord } from './types.d.ts' */

/** Returns the words of an operation; one without words keeps its name. @param {string} operation @param {string} outcome */
function wordsOf(operation, outcome) {
  const id = `console_${idOfAct(operation)}`;
  return isConsoleAct(id) ? t(id, { outcome }) : operation;
}

/** Returns whether there are words for an operation. @param {string} operation */
export const hasAdminWords = operation => isConsoleAct(`console_${idOfAct(operation)}`);

/** Returns an act in words: what was done, or what was tried. @param {Pick<AuditRecord, 'operation' | 'outcome'>} record */
export const wordsForRecord = ({ operation, outcome }) => wordsOf(operation, outcome);

/** Returns why an act ended as it did, or what is still required; null where there are no words. @param {string | null} code */
export function wordsForCode(code) {
  if (code === 'mfa_required') return t('console_second_step_to_come');
  const id = `error_${code?.toLowerCase()}`;
  return isReason(id) ? t(id) : wordsForReturn(code);
}

/**
 * Returns the operations that have words, each with its words, in the order of the words. Where two have the same words, as
 * the beginning and the end of a set-up, each has those of the act that was done.
 */
export function choicesOf() {
  const choices = consoleActs().map(name => ({ name, words: wordsOf(name, 'tried') }));
  const isShared = (/** @type {string} */ words) => choices.filter(each => each.words === words).length > 1;
  return choices
    .map(({ name, words }) => ({ name, words: isShared(words) ? wordsOf(name, 'ok') : words }))
    .toSorted((a, b) => a.words.localeCompare(b.words));
}
