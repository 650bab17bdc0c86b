import type { Calls } from '../../doors/site.ts';
import { tokenOf } from '../../support/app.ts';
import { message, mutation } from '../../support/operations.ts';

export const operations = {
  keepAddedSince: mutation('POST /not-me/keep', 'keepAddedSince', null, message),
  reportNotMe: mutation('POST /not-me', 'reportNotMe', 'ReportNotMeInput!', '{ message passwordNeeded }'),
};

export const calls: Calls<typeof operations> = {
  keepAddedSince: {
    good: async ({ app, member: { id, token } }) => {
      await app.gatehouse.repositories.users.change(id, { set: { distrustedSince: new Date(0) } });
      return { token };
    },
    bad: null,
  },
  reportNotMe: {
    good: async ({ app, member: { id, email, password } }) => {
      // Within a day of signing up no sign-in is told.
      await app.gatehouse.repositories.users.change(id, { set: { signedUpAt: null } });
      const headers = {
        'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
      };
      await app.rest('POST', '/login', { email, password }, { headers });
      return { input: { token: tokenOf(await app.nextMail(email)) } };
    },
    bad: () => ({ input: { token: 'none' } }),
  },
};

export const forAnyone: (keyof typeof operations)[] = ['reportNotMe'];
