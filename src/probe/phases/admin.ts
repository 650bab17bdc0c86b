import { expectAnswer } from '../expect.ts';
import { asVisitor, type Phase } from '../walk.ts';

/** Administration is not for everybody. */
export const admin: Phase = {
  name: 'admin',
  absence: ({ features }) => (features.admin ? null : 'is off (enable_admin_router)'),
  async run(walk) {
    for (const path of ['/admin/stats', '/admin/users']) {
      expectAnswer(await walk.client.call('GET', path), 401, 'unauthenticated');
      expectAnswer(await asVisitor(walk, 'GET', path), 403, 'forbidden');
    }
    return 'refuses nobody’s and an ordinary user’s requests';
  },
};
