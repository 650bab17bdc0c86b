// What every part of the console does to its elements. Data becomes text and never markup.

export const byId = id => document.getElementById(id);

const moment = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const figure = new Intl.NumberFormat();

export const numberText = number => figure.format(number);

/** `1 user`, `1,204 users` */
export const counted = (number, [one, many]) => `${numberText(number)} ${number === 1 ? one : many}`;

/**
 * Fills every `data-field` with the value of that name, a `<time>` in local time, with `data-day` without the hour; and
 * shows each `data-if` whose value is true.
 */
export function fill(root, values) {
  for (const element of root.querySelectorAll('[data-field]')) {
    const value = values[element.dataset.field];
    const isTime = element instanceof HTMLTimeElement && value;
    const format = 'day' in element.dataset ? day : moment;
    element.textContent = isTime ? format.format(new Date(value)) : (value ?? element.dataset.none ?? '');
    // The exact moment, in UTC, for whoever points at it.
    if (isTime) element.dateTime = element.title = value;
  }
  for (const element of root.querySelectorAll('[data-if]')) element.hidden = !values[element.dataset.if];
}

/** A row made of a `<template>`. */
export function rowOf(templateId, values) {
  const row = byId(templateId).content.firstElementChild.cloneNode(true);
  fill(row, values);
  return row;
}

/** Shows those of a section's parts that are named, of all that are given; `data-part` names them. */
export function showParts(section, all, shown) {
  for (const name of all) partOf(section, name).hidden = !shown.includes(name);
}

export const partOf = (section, name) => section.querySelector(`[data-part="${name}"]`);

/** Says what happened, in words that stay until the operator goes on; nothing without words. */
export function notify(text = '') {
  byId('said').textContent = text;
  byId('wrong').textContent = '';
}

/** Says what went wrong. */
export function complain(text) {
  byId('said').textContent = '';
  byId('wrong').textContent = text;
}
