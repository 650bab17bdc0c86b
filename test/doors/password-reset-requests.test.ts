import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { newUser } from '../../src/domain/new-user.ts';
import { type App, logIn, type Member, newPassword, signUp, tokenOf } from '../support/app.ts';
import { describeEachDriver } from '../support/backends.ts';
import { doors } from '../support/doors.ts';
import { asInNode } from '../support/in-node.ts';
import { newAddress } from '../support/people.ts';
import { forgot, listen, logged, removePassword, setActive, start } from './passwords.ts';

describeEachDriver('passwords', backend => {
  let app: App;
  beforeAll(async () => {
    app = await start(backend);
  });
  afterAll(() => app?.close());
  const me = async (token: string) => (await app.rest('GET', '/me', undefined, { token })).body;

  describe('a reset that proves an address for the first time', () => {
    const issuer = 'https://issuer.example';

    /** Somebody else's account at a stranger's address: unverified, with a provider identity, a phone and a code. */
    async function plant(email = newAddress()): Promise<Member> {
      const { users, oauth_identities, mfa_codes } = app.gatehouse.repositories;
      const now = app.clock.now();
      const user = newUser(now, { email, fullName: null, hashedPassword: null, isVerified: false });
      await users.add({ ...user, phoneNumber: '+15550100', isMfaEnabled: true });
      const identity = { provider: 'google', issuer, subjectId: randomUUID(), userId: user.id, email: null };
      await oauth_identities.add({ id: randomUUID(), ...identity, linkedAt: now, lastUsedAt: null });
      const expiresAt = new Date(now.getTime() + 300_000);
      const code = { phoneNumber: '+15550100', codeHash: 'hash', attempts: 0, createdAt: now, expiresAt };
      await mfa_codes.replace({ userId: user.id, kind: 'phone_setup', ...code });
      return { id: user.id, email, password: newPassword, token: '' };
    }

    const identitiesOf = ({ id }: Member) => app.gatehouse.repositories.oauth_identities.listByUser(id);

    const reset = (token: string) =>
      app.rest('POST', '/reset-password', { token, new_password: newPassword });

    test('removes the identities, the phone and the codes that were there before', async () => {
      // A stranger registers the victim's address, links a provider account and a phone of his own, and waits.
      const victim = await plant();
      const completed = listen(app, 'password_reset_completed');
      const verified = listen(app, 'user_verified');
      const token = await forgot(app, victim.email);
      expect((await reset(token)).status).toBe(200);
      expect(await identitiesOf(victim)).toEqual([]);
      expect(await app.gatehouse.repositories.mfa_codes.find(victim.id, 'phone_setup')).toBeNull();
      const user = await me(await logIn(app, victim));
      expect(user).toMatchObject({ is_verified: true, phone_number: null, is_mfa_enabled: false });
      for (const heard of [completed, verified]) {
        expect(heard).toHaveLength(1);
        expect(heard[0]?.user).toEqual({ ...asInNode(user), lastLogin: null });
      }
    });

    test('also removes an identity that the stranger links while the reset is under way', async () => {
      // The stranger keeps linking in a loop, so that one link falls between the clean-up and the cutoff.
      const victim = await plant();
      const token = await forgot(app, victim.email);
      const { users, oauth_identities } = app.gatehouse.repositories;
      const change = users.change;
      const spy = vi.spyOn(users, 'change').mockImplementationOnce(async (...args) => {
        const identity = {
          provider: 'google',
          issuer,
          subjectId: randomUUID(),
          userId: victim.id,
          email: null,
        };
        const now = app.clock.now();
        await oauth_identities.add({ id: randomUUID(), ...identity, linkedAt: now, lastUsedAt: null });
        return change(...args);
      });
      expect((await reset(token)).status).toBe(200);
      spy.mockRestore();
      expect(await identitiesOf(victim)).toEqual([]);
    });

    test('leaves an account that was verified before its identities and its phone', async () => {
      const owner = await plant();
      await app.gatehouse.repositories.users.change(owner.id, { set: { isVerified: true } });
      expect((await reset(await forgot(app, owner.email))).status).toBe(200);
      expect(await identitiesOf(owner)).toHaveLength(1);
      expect(await app.gatehouse.repositories.users.find(owner.id)).toMatchObject({
        phoneNumber: '+15550100',
        isMfaEnabled: true,
      });
    });

    test('kills the verification link that was on its way', async () => {
      const victim = await plant();
      await app.rest('POST', '/resend-verification', { email: victim.email });
      const link = tokenOf(await app.nextMail(victim.email));
      const token = await forgot(app, victim.email);
      expect((await reset(token)).status).toBe(200);
      expect((await app.rest('POST', '/verify', { token: link })).body.code).toBe('invalid_token');
    });
  });
});

describe.each(doors)('asking for a reset link through $name', door => {
  // Shows asvs/6.3.8.
  test('answers alike for every address, and mails only to active accounts', async () => {
    // An attacker asks for resets to learn which addresses have accounts.
    const app = await start();
    const call = door.at(app);
    const [verified, passwordless, disabled] = [await signUp(app), await signUp(app), await signUp(app)];
    await removePassword(app, passwordless);
    await setActive(app, disabled, false);
    const unverified = newAddress();
    const now = app.clock.now();
    const fields = { email: unverified, fullName: null, hashedPassword: null, isVerified: false };
    await app.gatehouse.repositories.users.add(newUser(now, fields));
    const pending = newAddress();
    await app.rest('POST', '/register', { email: pending, password: newPassword });
    await app.nextMail(pending);
    app.mails.length = 0;

    const unknown = newAddress();
    const active = [verified.email, passwordless.email, unverified];
    const answers = [];
    for (const email of [unknown, disabled.email, pending, ...active, ` ${verified.email.toUpperCase()} `]) {
      answers.push(await call('forgotPassword', { email }));
    }
    await app.close();

    expect(answers[0]).toEqual({ ok: true, value: { message: expect.any(String) } });
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    const recipients = app.mails.map(({ to }) => to).sort();
    expect(recipients).toEqual([...active, verified.email].sort());
  });

  test('stores nothing about an address that has no account', async () => {
    const app = await start();
    const email = newAddress();
    await door.at(app)('forgotPassword', { email });
    const sentinel = await signUp(app);
    await forgot(app, sentinel.email);
    expect(await app.gatehouse.repositories.attempts.list(`mail:reset:${email}`)).toEqual([]);
    await app.close();
  });
});

describe('a reset mail', () => {
  let app: App;
  beforeAll(async () => {
    app = await start();
  });
  afterAll(() => app?.close());

  test('links to the configured address, whatever the request says about its host', async () => {
    // An attacker asks for the victim's reset with his own host in a header, so that the link leads to him.
    const { email } = await signUp(app);
    const evil = 'evil.example';
    const headers = { 'X-Forwarded-Host': evil, Forwarded: `host=${evil}`, 'X-Forwarded-Proto': 'https' };
    await app.rest('POST', '/forgot-password', { email }, { headers });
    const { text, html } = await app.nextMail(email);
    expect(text).toMatch(/^http:\/\/localhost:8000\/account\/reset-password\?token=\S+$/m);
    expect(text + html).not.toContain(evil);
  });

  test('fires password_reset_requested with a link for logs that holds no token', async () => {
    const heard = listen(app, 'password_reset_requested');
    const { id, email } = await signUp(app);
    const token = await forgot(app, email);
    expect(heard).toEqual([
      {
        user: expect.objectContaining({ id }),
        url: `http://localhost:8000/account/reset-password?token=${token}`,
        urlWithoutToken: expect.stringMatching(/^http:\/\/localhost:8000\/account\/reset-password/),
      },
    ]);
    expect(heard[0]!.urlWithoutToken).not.toContain(token);
  });

  test('leaves neither token nor password nor address in the log', async () => {
    const member = await signUp(app);
    const token = await forgot(app, member.email);
    await app.rest('POST', '/reset-password', { token, new_password: newPassword });
    await app.rest('POST', '/reset-password', { token, new_password: newPassword });
    for (const secret of [token, newPassword, member.email, member.password, member.token]) {
      expect(logged(app)).not.toContain(secret);
    }
  });
});
