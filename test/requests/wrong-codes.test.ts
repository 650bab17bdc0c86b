import { afterAll, beforeAll, expect, test } from 'vitest';
import { type App, newPassword, signUp, startApp } from '../support/app.ts';
import { describeEachDriver } from '../support/backends.ts';
import { codeIn, newAddress, newPhone, nextToken } from '../support/people.ts';

describeEachDriver('the second factor', backend => {
  let app: App;
  beforeAll(async () => {
    app = await startApp({ backend, settings: { enableAdminRouter: true, enableSms2fa: true } });
  });
  afterAll(() => app?.close());

  test('a session clears the count of wrong codes; an address change and a reset do not', async () => {
    // An attacker who reads the mails, but not the texts, resets the password to get new guesses at the code.
    const member = await signUp(app);
    const { token } = member;
    const phone = newPhone();
    const codeOf = async () => codeIn(await app.nextText(phone));
    const count = async () =>
      (await app.gatehouse.repositories.attempts.list(`code:${member.id}`)).filter(row => row.settled).length;

    const current_password = member.password;
    const setup = await app.rest(
      'POST',
      '/phone/start',
      { phone_number: phone, current_password },
      { token },
    );
    const { pending_token } = setup.body;
    await app.rest('POST', '/phone/confirm', { pending_token, code: await codeOf() }, { token });

    const { body } = await app.rest('POST', '/login', { email: member.email, password: member.password });
    const { mfa_pending_token } = body;
    const wrongCode = (await codeOf()) === '111111' ? '222222' : '111111';
    for (const expected of [1, 2]) {
      await app.rest('POST', '/login/mfa-confirm', { mfa_pending_token, code: wrongCode });
      expect(await count()).toBe(expected);
    }

    const email = newAddress();
    await app.rest('POST', '/change-email', { current_password, new_email: email }, { token });
    const moved = await app.rest('POST', '/confirm-email-change', { token: await nextToken(app, email) });
    expect([moved.status, await count()]).toEqual([200, 2]);

    await app.rest('POST', '/forgot-password', { email });
    const reset = { token: await nextToken(app, email), new_password: newPassword };
    expect([(await app.rest('POST', '/reset-password', reset)).status, await count()]).toEqual([200, 2]);

    const again = await app.rest('POST', '/login', { email, password: newPassword });
    expect(await count()).toBe(2);
    const second = { mfa_pending_token: again.body.mfa_pending_token, code: await codeOf() };
    expect((await app.rest('POST', '/login/mfa-confirm', second)).status).toBe(200);
    expect(await count()).toBe(0);
  });
});
