import { api, wordsOf } from './admin-api.js';
import { askFirst } from './admin-dialog.js';
import { createList } from './admin-list.js';
import { complain, notify, rowOf } from './admin-parts.js';

/** The list of pending registrations; `changed` is called when one became an account. */
export function createPending({ changed }) {
  const list = createList({
    name: 'pending',
    nouns: ['pending registration', 'pending registrations'],
    load: api.pending,
    rowFor(registration) {
      const row = rowOf('pending-row', registration);
      row.querySelector('[data-resend]').addEventListener('click', () => resend(registration));
      row.querySelector('[data-promote]').addEventListener('click', () => promote(registration));
      return row;
    },
  });

  /** The same as the person could do, within the same bounds. */
  async function resend({ email }) {
    notify();
    try {
      await api.resendLink({ email });
      notify(`A new link is on its way to ${email}, unless it has had too many within this hour.`);
    } catch (problem) {
      complain(wordsOf(problem));
    }
  }

  async function promote({ email }) {
    notify();
    const user = await askFirst({
      title: `Make an account of ${email}?`,
      text: 'It counts as verified, without the mail. Do this only when you know that the address belongs to whoever registered.',
      label: 'Make account',
      work: () => api.promote({ email }),
    });
    // Also after giving up: a registration that could not be promoted may be gone.
    await list.open();
    if (!user) return;
    notify(`${user.email} is a verified account now.`);
    changed();
  }

  return list;
}
