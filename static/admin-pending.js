import { api } from './admin-api.js';
import { askFirst } from './admin-dialog.js';
import { createList } from './admin-list.js';
import { notify, rowOf } from './admin-parts.js';

/** The list of pending registrations; `changed` is called when one became an account. */
export function createPending({ changed }) {
  const list = createList({
    name: 'pending',
    nouns: ['pending registration', 'pending registrations'],
    load: api.pending,
    rowFor(registration) {
      const row = rowOf('pending-row', registration);
      row.querySelector('button').addEventListener('click', () => promote(registration));
      return row;
    },
  });

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
