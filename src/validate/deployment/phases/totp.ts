import { totpCode } from '../authenticators.ts';
import { expectAnswer, expectThat } from '../expect.ts';
import { emailOf, passwordOf } from '../visitor.ts';
import { asVisitor, expectDead, logIn, type Phase, sessionOf } from '../walk.ts';

/** Sets up an authenticator app, signs in with it, and removes it. */
export const totp: Phase = {
  name: 'totp',
  absence: ({ features }) => (features.totp ? null : 'is off (enable_totp)'),
  async run(walk) {
    const { client, visitor } = walk;
    // Adding one takes a recent sign-in.
    await logIn(walk);
    const setup = await asVisitor(walk, 'POST', '/totp/start', { body: {} });
    expectAnswer(setup, 200);
    const { id, secret } = setup.body ?? {};
    expectThat(typeof secret === 'string', 'the set-up of an authenticator app shows no secret');
    const confirm = (code: string) => asVisitor(walk, 'POST', '/totp/confirm', { body: { id, code } });
    const first = totpCode(secret);
    expectAnswer(await confirm(another(first)), 400, 'mfa_code_wrong');
    const added = await confirm(first);
    expectThat(
      added.body?.code !== 'mfa_code_wrong',
      'the code of an authenticator app is refused: does the clock of the deployment differ from the one here?',
    );
    expectAnswer(added, 200);
    const { authenticator, recovery_codes: codes } = added.body ?? {};
    expectThat(codes?.length === 10, 'the first authenticator comes without ten recovery codes');

    const password = { email: emailOf(visitor), password: passwordOf(visitor) };
    const begin = async () => {
      const challenge = await client.call('POST', '/login', { body: password });
      expectAnswer(challenge, 200);
      expectThat(challenge.body?.access_token === undefined, 'the password alone still gives a session');
      return challenge.body?.mfa_pending_token;
    };
    const mfa_pending_token = await begin();
    await expectDead(walk, mfa_pending_token, 'the first step of a login (the pending token is one)');
    const finish = (token: string, method: string, code: string) =>
      client.call('POST', '/login/mfa-confirm', { body: { mfa_pending_token: token, method, code } });
    expectAnswer(await finish(mfa_pending_token, 'totp', first), 400, 'mfa_code_wrong');
    // A code of the next step, because a code works once and the probe should not wait for another.
    const code = totpCode(secret, 1);
    const session = await finish(mfa_pending_token, 'totp', code);
    expectAnswer(session, 200);
    visitor.token = sessionOf(session);
    const again = await begin();
    expectAnswer(await finish(again, 'totp', code), 400, 'mfa_code_wrong');
    expectAnswer(await finish(again, 'recovery_code', codes[0]), 200);

    expectAnswer(await asVisitor(walk, 'DELETE', `/authenticators/${authenticator?.id}`), 200);
    return 'set up, asked for at the login, and removed; used and wrong codes are refused; a recovery code works';
  },
};

/** Returns the code that differs in its last digit. */
const another = (code: string) => `${code.slice(0, -1)}${(Number(code.at(-1)) + 5) % 10}`;
