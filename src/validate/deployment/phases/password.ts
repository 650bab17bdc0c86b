import { expectAnswer, expectThat } from '../expect.ts';
import { emailOf, newPassword, passwordOf } from '../visitor.ts';
import { asVisitor, expectDead, logIn, type Phase } from '../walk.ts';

/** Changes the password. */
export const password: Phase = {
  name: 'password',
  absence: () => null,
  async run(walk) {
    const { client, visitor } = walk;
    const [token, former, fresh] = [visitor.token, passwordOf(visitor), newPassword()];
    const wrong = { current_password: newPassword(), new_password: fresh };
    expectAnswer(await asVisitor(walk, 'POST', '/change-password', { body: wrong }), 400, 'wrong_password');
    // Recorded before the call: when the response is lost, either password may be right.
    visitor.passwords.push(fresh);
    const right = { current_password: former, new_password: fresh };
    expectAnswer(await asVisitor(walk, 'POST', '/change-password', { body: right }), 200);
    await expectDead(walk, token, 'the change of its password');
    await logIn(walk);
    const old = await client.call('POST', '/login', { body: { email: emailOf(visitor), password: former } });
    expectThat(old.status !== 200, 'the former password still works');
    expectAnswer(old, 401, 'invalid_credentials');
    return 'changed; the former password and the former session no longer work';
  },
};
