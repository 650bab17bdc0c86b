import { api } from './admin-api.js';
import { askFirst } from './admin-dialog.js';
import { createList } from './admin-list.js';
import { complain, notify, rowOf } from './admin-parts.js';
import { busy, toProblem } from './forms.js';
import { part } from './parts.js';
import { t } from './words.js';

/** @import { PendingRegistration } from './types.d.ts' */

/**
 * Creates the list of pending registrations; `changed` is called when one became an account.
 * @param {{ changed: () => void }} options
 */
export function createPending({ changed }) {
  const list = createList({
    name: 'pending',
    counted: values => t('console_count_pending', values),
    load: input => api.pendingRegistrations(input),
    rowFor(registration) {
      const row = rowOf('pending-row', { ...registration });
      const again = part('[data-resend]', row);
      again.addEventListener('click', () => busy(again, () => resend(registration)));
      part('[data-promote]', row).addEventListener('click', () => promote(registration));
      return row;
    },
  });

  /** The same as the owner of the address could do, within the same limits. @param {PendingRegistration} registration */
  async function resend({ email }) {
    notify();
    try {
      await api.resendVerification({ email });
      notify(t('console_a_new_link_is_on', { email }));
    } catch (problem) {
      complain(toProblem(problem));
    }
  }

  /** @param {PendingRegistration} registration */
  async function promote({ email, isContested }) {
    notify();
    const user = await askFirst({
      title: t('console_make_an_account', { email }),
      text: isContested
        ? t('console_it_counts_as_verified_without')
        : t('console_it_counts_as_verified_without_the'),
      label: t('console_make_account'),
      work: () => api.adminPromotePending({ email }),
    });
    // Also after cancelling: a registration that could not be promoted may be gone.
    await list.open();
    if (!user) return;
    notify(t('console_is_a_verified_account_now', { email: user.email }));
    changed();
  }

  return list;
}
