import { z } from 'zod';
import { flag } from '../../config/schema/fields.ts';
import { defineFeature } from '../../feature.ts';
import { createNotMeLinkRows } from './link-rows.ts';
import { notMeLinks } from './link-table.ts';
import { mails } from './mails.ts';
import { createSignInPlaceRows } from './place-rows.ts';
import { signInPlaces } from './place-table.ts';
import { problemsOf } from './problems.ts';
import { type NoticeSettings, warningsOf } from './warnings.ts';

/** Owners are told of sign-ins from new places, and report with a link that an act was not theirs (CONTRACT §12.4). */
export const newSignIns = defineFeature({
  settings: {
    notify_new_sign_in: flag(false).describe(
      'Owners are told of sign-ins from a new browser or network, with a link "this was not me"; needs `enable_session_list`',
    ),
    lockout_spares_known_places: flag(false).describe(
      'Wrong passwords from elsewhere do not lock people out where they signed in within 30 days; needs `notify_new_sign_in`',
    ),
  },
  isOn: ({ notifyNewSignIn }: NoticeSettings) => notifyNewSignIn,
  problems: problemsOf,
  encryptsWith: 'notify_new_sign_in',
  limits: { not_me: { counts: 'POST /not-me', usual: '30/minute;300/hour' } },
  warnings: warningsOf,
  shown: {
    not_me: z
      .boolean()
      .describe('Whether owners are told of new sign-ins and can report that an act was not theirs.'),
  },
  tables: { not_me_links: notMeLinks, sign_in_places: signInPlaces },
  repositories: { not_me_links: createNotMeLinkRows, sign_in_places: createSignInPlaceRows },
  mails,
  stopsPasswords: true,
  leadsTo: ['not_me'],
  ownPages: ['not-me'],
  asked: {
    notify_new_sign_in: {
      label: 'Owners are told of sign-ins from new places',
      byDefault: true,
      needs: 'enable_session_list',
    },
  },
  development: () => ({ notifyNewSignIn: true }),
  sample: { notifyNewSignIn: true },
  load: () => import('./open.ts'),
});
