import { api } from './admin-api.js';
import { askFirst } from './admin-dialog.js';
import { createList } from './admin-list.js';
import { complain, notify, rowOf } from './admin-parts.js';
import { toProblem } from './forms.js';
import { part } from './parts.js';

/** @import { PendingRegistration } from './types.d.ts' */

/**
 * Creates the list of pending registrations; `changed` is called when one became an account.
 * @param {{ changed: () => void }} options
 */
export function createPending({ changed }) {
  const list = createList({
    name: 'pending',
    nouns: ['pending registration', 'pending registrations'],
    load: input => api.pendingRegistrations(input),
    rowFor(registration) {
      const row = rowOf('pending-row', { ...registration });
      part('[data-resend]', row).addEventListener('click', () => resend(registration));
      part('[data-promote]', row).addEventListener('click', () => promote(registration));
      return row;
    },
  });

  /** The same as the owner of the address could do, within the same limits. @param {PendingRegistration} registration */
  async function resend({ email }) {
    notify();
    try {
      await api.resendVerification({ email });
      notify(`A new link is on its way to ${email}, unless it has had too many within this hour.`);
    } catch (problem) {
      complain(toProblem(problem));
    }
  }

  /** @param {PendingRegistration} registration */
  async function promote({ email, isContested }) {
    notify();
    const user = await askFirst({
      title: `Make ${email} an account?`,
      text: isContested
        ? 'It counts as verified, without the email. The address was registered more than once, so the account gets no password: its owner sets one by a password reset.'
        : 'It counts as verified, without the email. Do this only when you know that the address belongs to whoever registered.',
      label: 'Make account',
      work: () => api.adminPromotePending({ email }),
    });
    // Also after cancelling: a registration that could not be promoted may be gone.
    await list.open();
    if (!user) return;
    notify(`${user.email} is a verified account now.`);
    changed();
  }

  return list;
}
