import { api } from './admin-api.js';
import { complain, notify, partNamed, rowOf, showParts } from './admin-parts.js';
import { toProblem } from './forms.js';
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
    try {
      const { items } = await api.webhooks();
      const off = items.filter(({ isOff }) => isOff).length;
      figure.hidden = off === 0;
      figure.textContent = t('console_off_2', { off });
      list.replaceChildren(...items.map(rowFor));
      showParts(section, parts, ['list']);
    } catch {
      showParts(section, parts, ['failure']);
    }
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
    part('[data-test]', row).addEventListener('click', () => test(name));
    part('[data-enable]', row).addEventListener('click', () => act(() => api.adminEnableWebhook({ name })));
    part('[data-replay]', row).addEventListener('click', () => act(() => api.adminReplayWebhook({ name })));
    return row;
  }

  /** @param {string} name */
  const test = name =>
    act(async () => {
      const { isTaken, problem, milliseconds } = await api.adminTestWebhook({ name });
      const message = isTaken
        ? t('console_has_taken_the_test_in', { name, milliseconds })
        : t('console_has_not_taken_the_test', { name, problem: problem ?? '' });
      return { message };
    });

  /** @param {() => Promise<{ message: string }>} work */
  async function act(work) {
    notify();
    try {
      const { message } = await work();
      await open();
      notify(message);
    } catch (problem) {
      complain(toProblem(problem));
    }
  }

  open();
  return { section, open };
}
