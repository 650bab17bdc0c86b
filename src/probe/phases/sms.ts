import { expectAnswer, expectThat } from '../expect.ts';
import { emailOf, passwordOf } from '../visitor.ts';
import { asVisitor, expectDead, type Phase, sessionOf, withoutLetters } from '../walk.ts';

/** Sets the second factor up, signs in with it, and takes it off. */
export const sms: Phase = {
  name: 'sms',
  absence(walk) {
    if (!walk.features.sms2fa) return 'is off (enable_sms_2fa)';
    return walk.visitor.phone === null ? 'needs --phone' : withoutLetters(walk);
  },
  async run(walk) {
    const { client, visitor, letters } = walk;
    const phone = visitor.phone!;
    const current_password = passwordOf(visitor);
    letters!.watch(phone);
    let since = letters!.mark();
    const started = await asVisitor(walk, 'POST', '/phone/start', {
      body: { phone_number: phone, current_password },
    });
    expectAnswer(started, 202);
    const { pending_token } = started.body ?? {};
    const setUp = await letters!.secretTo(phone, since);
    const confirm = (code: string) =>
      asVisitor(walk, 'POST', '/phone/confirm', { body: { pending_token, code } });
    expectAnswer(await confirm(another(setUp)), 400, 'mfa_code_wrong');
    const user = await confirm(setUp);
    expectAnswer(user, 200);
    expectThat(user.body?.is_mfa_enabled === true, 'the second factor is not on after its set-up');

    since = letters!.mark();
    const body = { email: emailOf(visitor), password: passwordOf(visitor) };
    const challenge = await client.call('POST', '/login', { body });
    expectAnswer(challenge, 200);
    expectThat(challenge.body?.access_token === undefined, 'the password alone still gives a session');
    const { mfa_pending_token } = challenge.body ?? {};
    expectThat(typeof mfa_pending_token === 'string', 'the login does not ask for the second step');
    await expectDead(walk, mfa_pending_token, 'the first step of a login (the pending token is one)');
    const code = await letters!.secretTo(phone, since);
    const finish = (code: string) =>
      client.call('POST', '/login/mfa-confirm', { body: { mfa_pending_token, code } });
    expectAnswer(await finish(another(code)), 400, 'mfa_code_wrong');
    const session = await finish(code);
    expectAnswer(session, 200);
    visitor.token = sessionOf(session);
    expectThat((await finish(code)).status === 400, 'a code works twice');

    expectAnswer(await asVisitor(walk, 'DELETE', '/phone', { body: { current_password } }), 200);
    return 'set up, asked for at the login, and taken off; wrong and used codes are refused';
  },
};

/** A code that differs in its last digit. */
const another = (code: string) => `${code.slice(0, -1)}${(Number(code.at(-1)) + 1) % 10}`;
