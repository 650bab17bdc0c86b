import { expectAnswer } from '../expect.ts';
import { asVisitor, expectDead, logIn, type Phase } from '../walk.ts';

/** Ends one session, and then all of them. */
export const logout: Phase = {
  name: 'logout',
  absence: () => null,
  async run(walk) {
    const { visitor } = walk;
    const first = visitor.token;
    await logIn(walk);
    const second = visitor.token;
    expectAnswer(await asVisitor(walk, 'POST', '/logout'), 200);
    await expectDead(walk, second, 'logout');
    visitor.token = first;
    expectAnswer(await asVisitor(walk, 'GET', '/me'), 200);
    expectAnswer(await asVisitor(walk, 'POST', '/logout', { body: { everywhere: true } }), 200);
    await expectDead(walk, first, 'logout everywhere');
    await logIn(walk);
    return 'one session can be ended, and all of them at once';
  },
};
