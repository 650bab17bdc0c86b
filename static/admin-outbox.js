import { api } from './admin-api.js';
import { askFirst } from './admin-dialog.js';
import { createList } from './admin-list.js';
import { complain, notify, rowOf } from './admin-parts.js';
import { busy, toProblem } from './forms.js';
import { part } from './parts.js';
import { t } from './words.js';

/** @import { OutboxMessage } from './types.d.ts' */

/** @type {Record<OutboxMessage['kind'], string>} */
const kinds = {
  mail: t('console_email'),
  text: t('console_text_message'),
  webhook: t('console_webhook'),
  event: t('console_event'),
};

const states = /** @type {const} */ (['waiting', 'sending', 'dead']);

/** Creates the list of messages that were not delivered yet. */
export function createOutbox() {
  const list = createList({
    name: 'outbox',
    counted: values => t('console_count_messages', values),
    load: ({ limit, after }, state) =>
      api.outboxMessages({ limit, after, state: states.find(each => each === state) }),
    rowFor(message) {
      const { kind, purpose, state } = message;
      const row = rowOf('outbox-row', {
        ...message,
        what: `${kinds[kind]}, ${purpose.replaceAll(/[-_]/g, ' ')}`,
        isWaiting: state === 'waiting',
        isSending: state === 'sending',
        isDead: state === 'dead',
      });
      const again = part('[data-retry]', row);
      again.addEventListener('click', () => busy(again, () => retry(message)));
      part('[data-drop]', row).addEventListener('click', () => drop(message));
      return row;
    },
  });

  /** @param {OutboxMessage} message */
  async function retry({ id, recipient }) {
    notify();
    try {
      await api.adminRetryMessage({ id });
      await list.open();
      notify(t('console_the_message_to_will_be', { recipient }));
    } catch (problem) {
      complain(toProblem(problem));
      await list.open();
    }
  }

  /** @param {OutboxMessage} message */
  async function drop({ id, recipient }) {
    notify();
    const dropped = await askFirst({
      title: t('console_drop_the_message_to_2', { recipient }),
      text: t('console_it_is_deleted_and_never'),
      label: t('console_drop_message'),
      isDangerous: true,
      work: () => api.adminDropMessage({ id }),
    });
    // Also after cancelling: a message that could not be dropped may have been sent.
    await list.open();
    if (dropped) notify(t('console_the_message_to_was_dropped', { recipient }));
  }

  return list;
}
