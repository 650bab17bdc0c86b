import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Assembled } from '../../src/gatehouse.ts';
import { type App, logIn, type Member, signUp, startApp, tokenOf } from '../support/app.ts';
import { describeStory } from '../support/backends.ts';
import { type Call, doorsOn, resultOf } from '../support/doors.ts';
import { baseUrl, type Oidc, startOidc } from '../support/oidc.ts';
import { codeIn, newAddress, newPhone, signUpSuperuser } from '../support/people.ts';

// Owners learn of everything that is done to their account, when it was done, and from where.

let oidc: Oidc;
beforeAll(async () => {
  oidc = await startOidc();
});
afterAll(() => oidc?.close());

/** What stands in a notice of an act that its owner did in these tests. */
const bySelf = ['When: 2 January 2040, 03:04 UTC', 'From: the network address 127.0.0.1'];
const byAdmin = [bySelf[0], 'By: an administrator, from the network address 127.0.0.1'];
const byOperator = [bySelf[0], 'By: an operator, on the command line of the server'];
const forgot = `${baseUrl}/account/forgot`;

describeStory('notices', backend => {
  let app: App;
  beforeAll(async () => {
    app = await startApp({
      backend,
      settings: {
        ...{ baseUrl, enableUiRouter: true, enableSms2fa: true, enableOauth: true, enableAdminRouter: true },
        oauth: oidc.settings,
      },
    });
  });
  afterAll(() => app?.close());

  /** The lines of the next mail to this address with this subject. */
  async function notice(to: string, subject: RegExp): Promise<string[]> {
    for (;;) {
      const mail = await app.nextMail(to);
      if (subject.test(mail.subject)) return mail.text.split('\n');
    }
  }

  const codeTo = async (phone: string) => codeIn(await app.nextText(phone));

  describe.each(doorsOn(backend))('through $name', door => {
    let call: Call;
    beforeAll(() => {
      call = door.at(app);
    });

    async function setUpPhone({ token, password }: Member): Promise<void> {
      const phone_number = newPhone();
      const input = { phone_number, current_password: password };
      const { pending_token } = await resultOf(call('startPhoneSetup', input, { token }));
      const code = await codeTo(phone_number);
      await resultOf(call('confirmPhoneSetup', { pending_token, code }, { token }));
    }

    test('an account that its owner deleted, and one that an administrator deleted', async () => {
      const subject = /^Your account at Gatehouse was deleted$/;
      const { email, password, token } = await signUp(app);
      await resultOf(call('deleteAccount', { current_password: password }, { token }));
      const own = await notice(email, subject);
      expect(own).toEqual(expect.arrayContaining(bySelf));
      expect(own.join(' ')).toContain('If it was not you, tell the people who run');
      // There is no account left whose password could be chosen.
      expect(own).not.toContain(forgot);

      const [root, other] = [await signUpSuperuser(app), await signUp(app)];
      await resultOf(call('adminDeleteUser', { id: other.id }, root));
      const told = await notice(other.email, subject);
      expect(told).toEqual(expect.arrayContaining(byAdmin));
      expect(told.join(' ')).toContain('If you did not ask for it, tell the people who run');
      expect(app.mails.filter(({ to }) => to === root.email).map(mail => mail.subject)).not.toContainEqual(
        expect.stringMatching(subject),
      );
    });

    test('a deletion that is refused is not told', async () => {
      const { email, token } = await signUp(app);
      await call('deleteAccount', { current_password: 'not the password' }, { token });
      // A later one to the same address is the first that comes.
      await call('forgotPassword', { email });
      expect((await app.nextMail(email)).subject).not.toMatch(/deleted/);
    });

    // Shows asvs/6.3.7.
    test('a password that was changed, and one that was reset', async () => {
      const { email, password, token } = await signUp(app);
      const next = { current_password: password, new_password: 'a brand new password' };
      await resultOf(call('changePassword', next, { token }));
      const changed = await notice(email, /^Your password at Gatehouse was changed$/);
      expect(changed).toEqual(expect.arrayContaining([...bySelf, forgot]));

      await resultOf(call('forgotPassword', { email }));
      const reset = tokenOf(await app.nextMail(email));
      await resultOf(call('resetPassword', { token: reset, new_password: 'another new password' }));
      const done = await notice(email, /^Your password at Gatehouse was reset$/);
      expect(done).toEqual(expect.arrayContaining([...bySelf, forgot]));
    });

    // Shows asvs/6.3.7.
    test('an address that is to be changed, and one that was', async () => {
      const { email, password, token } = await signUp(app);
      const new_email = newAddress();
      await resultOf(call('changeEmail', { current_password: password, new_email }, { token }));
      const asked = await notice(email, /new email address was requested/);
      expect(asked).toEqual(expect.arrayContaining([...bySelf, forgot]));
      await resultOf(call('confirmEmailChange', { token: tokenOf(await app.nextMail(new_email)) }));
      const changed = await notice(email, /^Your email address at Gatehouse was changed$/);
      expect(changed).toEqual(expect.arrayContaining(bySelf));
      // This mailbox gets no link to a new password any more.
      expect(changed).not.toContain(forgot);
    });

    // Shows 63b/4.1.2.1#notice.
    test('a phone that was set up, and one that was removed', async () => {
      const member = await signUp(app);
      const { email, password, token } = member;
      await setUpPhone(member);
      expect(await notice(email, /phone was set up/)).toEqual(expect.arrayContaining([...bySelf, forgot]));
      await resultOf(call('disablePhone', { current_password: password }, { token }));
      expect(await notice(email, /was removed/)).toEqual(expect.arrayContaining([...bySelf, forgot]));
    });

    test('an identity that was linked, and one that was unlinked', async () => {
      const { email, token } = await signUp(app);
      const started = await resultOf(call('startOAuthLink', { provider: 'google' }, { token }));
      const back = await oidc.signInAt(started.authorization_url, `p${randomUUID()}`);
      await app.rest('GET', `/oauth/google/callback${back.search}`);
      expect(await notice(email, /was linked/)).toEqual(expect.arrayContaining([...bySelf, forgot]));
      await resultOf(call('unlinkOAuth', { provider: 'google' }, { token }));
      expect(await notice(email, /was unlinked/)).toEqual(expect.arrayContaining([...bySelf, forgot]));
    });

    test('what administration did', async () => {
      const { token } = await signUpSuperuser(app);
      const member = await signUp(app);
      await setUpPhone(member);
      await resultOf(call('adminUpdateUser', { id: member.id, is_superuser: true }, { token }));
      expect(await notice(member.email, /administrator/)).toEqual(expect.arrayContaining(byAdmin));
      await resultOf(call('adminDisablePhone', { id: member.id }, { token }));
      expect(await notice(member.email, /was removed/)).toEqual(expect.arrayContaining(byAdmin));
    });
  });

  // Shows asvs/6.3.7.
  test('what an operator did', async () => {
    const { operator } = app.gatehouse as Assembled;
    const { id, email } = await signUp(app);
    await app.gatehouse.repositories.users.change(id, {
      set: { phoneNumber: newPhone(), isMfaEnabled: true },
    });
    await operator.createAdmin({ email });
    expect(await notice(email, /administrator/)).toEqual(expect.arrayContaining(byOperator));
    await operator.disableMfa({ email });
    expect(await notice(email, /was removed/)).toEqual(expect.arrayContaining(byOperator));
    const deleted = await signUp(app);
    await operator.remove({ email: deleted.email });
    expect(await notice(deleted.email, /was deleted$/)).toEqual(expect.arrayContaining(byOperator));
  });

  // Links of mails come from the configuration alone (CONTRACT §4.2).
  test('no header of a request reaches the link of a notice', async () => {
    const { email, password } = await signUp(app);
    const token = await logIn(app, { email, password });
    const headers = {
      Host: 'evil.example',
      'X-Forwarded-Host': 'evil.example',
      Forwarded: 'host=evil.example',
    };
    const input = { current_password: password, new_password: 'a brand new password' };
    await app.rest('POST', '/change-password', input, { token, headers });
    const lines = await notice(email, /was changed$/);
    expect(lines).toContain(forgot);
    expect(lines.join()).not.toContain('evil');
  });
});
