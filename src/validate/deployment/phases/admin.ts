import { expectAnswer } from '../expect.ts';
import { asVisitor, type Phase } from '../walk.ts';

/** Checks that administration is refused to ordinary users. */
export const admin: Phase = {
  name: 'admin',
  absence: ({ features }) => (features.admin ? null : 'is off (enable_admin_router)'),
  async run(walk) {
    for (const path of ['/admin/stats', '/admin/users']) {
      expectAnswer(await walk.client.call('GET', path), 401, 'unauthenticated');
      expectAnswer(await asVisitor(walk, 'GET', path), 403, 'forbidden');
    }
    return 'refuses requests without a session and of ordinary users';
  },
};
