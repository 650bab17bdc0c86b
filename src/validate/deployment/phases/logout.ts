import { expectAnswer } from '../expect.ts';
import { asVisitor, expectDead, logIn, type Phase } from '../walk.ts';

/** Ends one session, and then all of them. */
export const logout: Phase = {
  name: 'logout',
  absence: () => null,
  async run(walk) {
    const { client, features, visitor } = walk;
    const first = visitor.token;
    await logIn(walk);
    const second = visitor.token;
    // A limit (`max_sessions_per_user`), which only a list of sessions can have, may have ended it.
    const isFirstEnded =
      features.sessionList && (await client.call('GET', '/me', { token: first })).status === 401;
    expectAnswer(await asVisitor(walk, 'POST', '/logout'), 200);
    await expectDead(walk, second, 'logout');
    if (isFirstEnded) await logIn(walk);
    else visitor.token = first;
    const last = visitor.token;
    expectAnswer(await asVisitor(walk, 'GET', '/me'), 200);
    expectAnswer(await asVisitor(walk, 'POST', '/logout', { body: { everywhere: true } }), 200);
    await expectDead(walk, last, 'logout everywhere');
    await logIn(walk);
    return 'one session can be ended, and all of them at once';
  },
};
