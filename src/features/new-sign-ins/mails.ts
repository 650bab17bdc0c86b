import { z } from 'zod';
import { type KeysFate, ofKeys } from '../../mail/core-mails.ts';
import { disownableNotice, notice } from '../../mail/define.ts';
import type { Words } from '../../words/words.ts';

export interface Report {
  isClosed: boolean;
  isPasswordNeeded: boolean;
  apiKeys?: KeysFate | null | undefined;
}

export const mails = {
  newSignIn: disownableNotice(
    'somebody signed in from a browser or network that the account has not used lately',
    {
      variables: {
        device: z
          .string()
          .nullable()
          .describe('the browser and system: `Firefox on Linux`; null where it is not known'),
      },
      sample: { device: 'Firefox on Linux' },
      values: ({ device }: { device: string | null }, _pages, words) => ({
        device: device && deviceWords(device, words),
      }),
    },
  ),
  /** To the address of the account, and to the one that the link was sent to, once it was used. */
  notMeReported: notice('a link "this was not me" was used: every session has ended', {
    variables: {
      closed: z
        .boolean()
        .describe('whether every sign-in is refused; false while `enable_password_reset` is off'),
      password_needed: z
        .boolean()
        .describe('whether a reset by email opens the account again; else only administration does'),
      ...ofKeys.variables,
    },
    sample: { isClosed: true, isPasswordNeeded: true, apiKeys: 'closed' },
    values: ({ isClosed, isPasswordNeeded, apiKeys }: Report) => ({
      ...{ closed: isClosed, password_needed: isPasswordNeeded, ...ofKeys.values({ apiKeys }) },
    }),
  }),
};

/** Returns a device, such as `Firefox on Linux`, in a language. */
function deviceWords(device: string, words: Words): string {
  const [browser = '', system] = device.split(' on ');
  return system === undefined ? device : words.t('unit_device', { browser, system });
}
