import { api } from './admin-api.js';
import { complain, holdFocus, notify, partNamed, rowOf, showParts, warn } from './admin-parts.js';
import { busy, toProblem } from './forms.js';
import { part } from './parts.js';
import { listed, t } from './words.js';

/** @import { Webhook } from './types.d.ts' */

const parts = ['loading', 'failure', 'list'];

/** Creates the list of webhooks, and says at their tab how many are switched off. */
export function createWebhooks() {
  const section = part('#webhooks');
  const list = partNamed(section, 'list');
  const figure = part('#webhooks-off');
  part('[data-reload]', section).addEventListener('click', open);

  async function open() {
    const found = await api.webhooks().catch(() => null);
    const keepFocus = holdFocus(section);
    if (found) render(found.items);
    showParts(section, parts, [found ? 'list' : 'failure']);
    keepFocus();
  }

  /** @param {Webhook[]} items */
  function render(items) {
    const off = items.filter(({ isOff }) => isOff).length;
    figure.hidden = off === 0;
    figure.textContent = t('console_off_2', { off });
    list.replaceChildren(...items.map(rowFor));
  }

  /** @param {Webhook} webhook */
  function rowFor(webhook) {
    const { name, events, isOff, failingSince } = webhook;
    const row = rowOf('webhook-row', {
      ...webhook,
      gets: events.length === 0 ? t('console_every_event') : listed(events),
      isOn: !isOff && failingSince === null,
      isFailing: !isOff && failingSince !== null,
      hasUntaken: webhook.dead > 0 || (failingSince !== null && webhook.waiting > 0),
    });
    /** @type {(selector: string, work: () => Promise<{ message: string, isRefused?: boolean }>) => void} */
    const on = (selector, work) => {
      const button = part(selector, row);
      button.addEventListener('click', () => busy(button, () => act(work)));
    };
    on('[data-test]', () => test(name));
    on('[data-enable]', () => api.adminEnableWebhook({ name }));
    on('[data-replay]', () => api.adminReplayWebhook({ name }));
    return row;
  }

  /** @param {string} name */
  async function test(name) {
    const { isTaken, problem, milliseconds } = await api.adminTestWebhook({ name });
    const message = isTaken
      ? t('console_has_taken_the_test_in', { name, milliseconds })
      : t('console_has_not_taken_the_test', { name, problem: problem ?? '' });
    return { message, isRefused: !isTaken };
  }

  /** @param {() => Promise<{ message: string, isRefused?: boolean }>} work */
  async function act(work) {
    notify();
    try {
      const { message, isRefused } = await work();
      await open();
      if (isRefused) warn(message);
      else notify(message);
    } catch (problem) {
      complain(toProblem(problem));
    }
  }

  open();
  return { section, open };
}
