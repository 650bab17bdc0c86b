import { totpCode } from '../authenticators.ts';
import { expectAnswer, expectThat } from '../expect.ts';
import { confirmApp, fateOf, removeFactor, startApp } from '../factors.ts';
import { emailOf, passwordOf } from '../visitor.ts';
import { expectDead, logIn, nextAppCode, type Phase, sessionOf, unverified } from '../walk.ts';

/** Sets up an authenticator app, signs in with it, and removes it. */
export const totp: Phase = {
  name: 'totp',
  absence: walk => (walk.features.totp ? unverified(walk) : 'is off (enable_totp)'),
  async run(walk) {
    const { client, visitor } = walk;
    // Adding one takes a recent sign-in.
    await logIn(walk);
    const { id, secret } = await startApp(walk);
    const first = totpCode(secret);
    expectAnswer(await confirmApp(walk, id, another(first)), 400, 'mfa_code_wrong');
    const added = await confirmApp(walk, id, first);
    expectThat(
      added.body?.code !== 'mfa_code_wrong',
      'the code of an authenticator app is refused: does the clock of the deployment differ from the one here?',
    );
    expectAnswer(added, 200);
    const { authenticator, recovery_codes: codes } = added.body ?? {};
    expectThat(
      visitor.factors > 1 || codes?.length === 10,
      'the first authenticator comes without ten recovery codes',
    );

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
    // A code works once. The next one works already where the clock of an app may be off.
    let code = totpCode(secret, 1);
    let session = await finish(mfa_pending_token, 'totp', code);
    // Not so with `totp_tolerance_steps = 0`.
    if (session.body?.code === 'mfa_code_wrong') {
      await nextAppCode(walk);
      code = totpCode(secret);
      session = await finish(await begin(), 'totp', code);
    }
    expectAnswer(session, 200);
    const again = await begin();
    expectAnswer(await finish(again, 'totp', code), 400, 'mfa_code_wrong');
    const recovered = await finish(again, 'recovery_code', visitor.recoveryCodes.pop()!);
    expectAnswer(recovered, 200);
    // The session that was begun last, because the number of sessions may be limited.
    visitor.token = sessionOf(recovered);

    const isRemoved = await removeFactor(walk, `/authenticators/${authenticator?.id}`);
    return `set up, asked for at the login, and ${fateOf(isRemoved)}; used and wrong codes are refused; a recovery code works`;
  },
};

/** Returns the code that differs in its last digit. */
const another = (code: string) => `${code.slice(0, -1)}${(Number(code.at(-1)) + 5) % 10}`;
