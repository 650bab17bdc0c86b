import { expectAnswer, expectThat } from '../expect.ts';
import { confirmPhone, fateOf, removeFactor, startPhone } from '../factors.ts';
import { emailOf, passwordOf } from '../visitor.ts';
import { expectDead, type Phase, sessionOf, unverified } from '../walk.ts';

/** Sets up the second factor, signs in with it, and removes it. */
export const sms: Phase = {
  name: 'sms',
  absence(walk) {
    if (!walk.features.sms2fa) return 'is off (enable_sms_2fa)';
    if (walk.visitor.phone === null) return 'needs --phone';
    return walk.texts ? unverified(walk) : 'needs --log-source, where text messages are read';
  },
  async run(walk) {
    const { client, visitor, texts } = walk;
    const phone = visitor.phone!;
    const { pendingToken, code: setUp } = await startPhone(walk);
    expectAnswer(await confirmPhone(walk, pendingToken, another(setUp)), 400, 'mfa_code_wrong');
    const user = await confirmPhone(walk, pendingToken, setUp);
    expectAnswer(user, 200);
    expectThat(user.body?.is_mfa_enabled === true, 'the second factor is not on after its set-up');

    const since = texts!.mark();
    const body = { email: emailOf(visitor), password: passwordOf(visitor) };
    const challenge = await client.call('POST', '/login', { body });
    expectAnswer(challenge, 200);
    expectThat(
      challenge.body?.access_token === undefined,
      'the password alone is still enough for a session',
    );
    const { mfa_pending_token } = challenge.body ?? {};
    expectThat(typeof mfa_pending_token === 'string', 'the login does not require the second step');
    await expectDead(walk, mfa_pending_token, 'the first step of a login (the pending token is one)');
    // A stronger factor is there, so the message is sent only on request.
    if (challenge.body?.delivery === 'none')
      expectAnswer(await client.call('POST', '/login/mfa-send', { body: { mfa_pending_token } }), 202);
    const code = await texts!.secretTo(phone, since);
    const finish = (code: string) =>
      client.call('POST', '/login/mfa-confirm', { body: { mfa_pending_token, method: 'sms', code } });
    expectAnswer(await finish(another(code)), 400, 'mfa_code_wrong');
    const session = await finish(code);
    expectAnswer(session, 200);
    visitor.token = sessionOf(session);
    expectThat((await finish(code)).status === 400, 'a code works twice');

    const isRemoved = await removeFactor(walk, '/phone', { current_password: passwordOf(visitor) });
    return `set up, required at login, and ${fateOf(isRemoved)}; wrong and used codes are refused`;
  },
};

/** Returns a code that differs in its last digit. */
const another = (code: string) => `${code.slice(0, -1)}${(Number(code.at(-1)) + 1) % 10}`;
