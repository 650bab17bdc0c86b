import type { User } from 'gatehouse-auth/client';
import { client } from '../client.ts';
import { element } from '../elements.ts';
import { form } from '../form.ts';
import { go } from '../router.ts';

const currentPassword = {
  name: 'currentPassword',
  label: 'Current password',
  type: 'password',
  autocomplete: 'current-password',
} as const;

/** Puts a phone between the password and the account, or takes it away. */
export function phone({ isMfaEnabled, phoneNumber }: User): HTMLElement {
  return isMfaEnabled ? disable(phoneNumber ?? '') : setUp();
}

const disable = (phoneNumber: string) =>
  form({
    fields: [currentPassword],
    submit: `Stop sending codes to ${phoneNumber}`,
    async send(input) {
      await client.disablePhone(input);
      go('/');
      return undefined;
    },
  });

function setUp(): HTMLElement {
  const place = element('div');
  const start = form({
    fields: [
      { name: 'phoneNumber', label: 'Phone, as +4915112345678', type: 'tel', autocomplete: 'tel' },
      currentPassword,
    ],
    submit: 'Send a code to this phone',
    async send(input) {
      const { pendingToken } = await client.startPhoneSetup(input);
      place.replaceChildren(confirm(pendingToken));
      place.querySelector('input')?.focus();
      return undefined;
    },
  });
  place.append(start);
  return place;
}

const confirm = (pendingToken: string) =>
  form({
    fields: [{ name: 'code', label: 'Code', autocomplete: 'one-time-code', numeric: true }],
    submit: 'Use this phone',
    async send({ code }) {
      await client.confirmPhoneSetup({ pendingToken, code });
      go('/');
      return undefined;
    },
  });
