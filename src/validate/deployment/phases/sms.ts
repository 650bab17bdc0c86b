import { expectAnswer, expectThat } from '../expect.ts';
import { emailOf, passwordOf } from '../visitor.ts';
import { asVisitor, expectDead, type Phase, sessionOf } from '../walk.ts';

/** Sets up the second factor, signs in with it, and removes it. */
export const sms: Phase = {
  name: 'sms',
  absence(walk) {
    if (!walk.features.sms2fa) return 'is off (enable_sms_2fa)';
    if (walk.visitor.phone === null) return 'needs --phone';
    return walk.texts ? null : 'needs --log-source, where text messages are read';
  },
  async run(walk) {
    const { client, visitor, texts } = walk;
    const phone = visitor.phone!;
    const current_password = passwordOf(visitor);
    texts!.watch(phone);
    let since = texts!.mark();
    const started = await asVisitor(walk, 'POST', '/phone/start', {
      body: { phone_number: phone, current_password },
    });
    expectAnswer(started, 202);
    const { pending_token } = started.body ?? {};
    const setUp = await texts!.secretTo(phone, since);
    const confirm = (code: string) =>
      asVisitor(walk, 'POST', '/phone/confirm', { body: { pending_token, code } });
    expectAnswer(await confirm(another(setUp)), 400, 'mfa_code_wrong');
    const user = await confirm(setUp);
    expectAnswer(user, 200);
    expectThat(user.body?.is_mfa_enabled === true, 'the second factor is not on after its set-up');

    since = texts!.mark();
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
    const code = await texts!.secretTo(phone, since);
    const finish = (code: string) =>
      client.call('POST', '/login/mfa-confirm', { body: { mfa_pending_token, code } });
    expectAnswer(await finish(another(code)), 400, 'mfa_code_wrong');
    const session = await finish(code);
    expectAnswer(session, 200);
    visitor.token = sessionOf(session);
    expectThat((await finish(code)).status === 400, 'a code works twice');

    expectAnswer(await asVisitor(walk, 'DELETE', '/phone', { body: { current_password } }), 200);
    return 'set up, required at login, and removed; wrong and used codes are refused';
  },
};

/** Returns a code that differs in its last digit. */
const another = (code: string) => `${code.slice(0, -1)}${(Number(code.at(-1)) + 1) % 10}`;
