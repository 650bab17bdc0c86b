// The parts that every view of the console uses.
import { wordsOf } from './admin-api.js';
import { say, sayProblem } from './forms.js';
import { fill, part, partsOf } from './parts.js';

/** @import { Problem } from './types.d.ts' */
/** @import { Fillings } from './types.d.ts' */
/** @import { Sentences } from './sentences.js' */

/**
 * Returns a row made from a `<template>`.
 * @type {(templateId: string, values: Fillings) => HTMLElement}
 */
export function rowOf(templateId, values) {
  const { content } = part(`#${templateId}`, document, HTMLTemplateElement);
  const row = /** @type {HTMLElement} */ (part('tr, li', content).cloneNode(true));
  fill(values, row);
  return row;
}

/** Returns the part of a section that `data-part` names. @type {(section: ParentNode, name: string) => HTMLElement} */
export const partNamed = (section, name) => part(`[data-part="${name}"]`, section);

/**
 * Of all the given parts of a section, shows only the named ones.
 * @type {(section: ParentNode, all: string[], shown: string[]) => void}
 */
export function showParts(section, all, shown) {
  for (const name of all) partNamed(section, name).hidden = !shown.includes(name);
}

/**
 * Notes where the focus of a section is. Call the result once the section is shown anew: if the focus was lost with its
 * element, it goes to the button that tries again, or to the heading.
 * @param {HTMLElement} section
 */
export function holdFocus(section) {
  const held = document.activeElement;
  if (!(held instanceof HTMLElement) || !section.contains(held)) return () => {};
  return () => {
    // An operator who has gone on meanwhile is not brought back.
    const now = document.activeElement;
    if (now !== held && now !== document.body) return;
    const places = [held, ...partsOf('[data-part="retry"], [data-reload]', section), part('h2', section)];
    places.find(place => place.checkVisibility())?.focus();
  };
}

const said = part('#said');
const wrong = part('#wrong');

/** Shows what happened until the operator goes on; an empty text clears the message. */
export function notify(text = '') {
  say(wrong);
  if (text) say(said, 'success', text);
  else say(said);
}

/** Shows that an act had no success. @param {string} text */
export function warn(text) {
  say(said);
  say(wrong, 'danger', text);
}

/**
 * Shows what went wrong; `own` has sentences for codes of one action. @type {(problem: Problem, own?: Sentences) => void}
 */
export function complain(problem, own) {
  say(said);
  sayProblem(wrong, problem, it => wordsOf(it, own));
}
