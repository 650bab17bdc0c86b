import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type App, password, startApp, tokenOf } from '../support/app.ts';
import { codeIn, newAddress, newPhone, signUpSuperuser } from '../support/people.ts';
import { codeOf, strongSettings } from '../support/strong.ts';
import { clientOf, interfaces, refusalOf } from './support.ts';

// The methods of the client mean the same through REST and GraphQL (CONTRACT §14).

const everything = {
  ...strongSettings,
  ...{ enableSms2fa: true, enableAdminRouter: true, mailsPerAddressPerHour: 100 },
};

let app: App;
beforeAll(async () => {
  app = await startApp({ settings: everything });
});
afterAll(() => app?.close());

/** Registers somebody, verifies the address and signs in, all through the client. */
async function newcomer(door: (typeof interfaces)[number], email = newAddress()) {
  const used = clientOf(app, door);
  await used.client.register({ email, password });
  const user = await used.client.verify({ token: tokenOf(await app.nextMail(email)) });
  const session = await used.client.login({ email, password });
  return { ...used, email, user, session };
}

describe.each(interfaces)('through %s', door => {
  test('somebody registers, verifies the address, signs in and out', async () => {
    const { client, storage } = clientOf(app, door);
    const email = newAddress();
    const pending = await client.register({ email, password, fullName: 'Ada Lovelace' });
    expect(pending).toEqual({ status: 'pending_verification', email, expiresAt: expect.any(String) });

    const user = await client.verify({ token: tokenOf(await app.nextMail(email)) });
    expect(user).toEqual({
      ...{ id: expect.any(String), email, fullName: 'Ada Lovelace', phoneNumber: null },
      ...{ isActive: true, isVerified: true, isSuperuser: false, isMfaEnabled: false },
      ...{ createdAt: expect.any(String), updatedAt: expect.any(String) },
      ...{ lastLogin: null, tokensInvalidatedAfter: null },
    });
    expect(client.token).toBeNull();

    const session = await client.login({ email, password });
    expect(session).toEqual({ accessToken: expect.any(String), tokenType: 'bearer', expiresIn: 7200 });
    expect(storage.token).toBe((session as { accessToken: string }).accessToken);
    expect(client.token).toBe(storage.token);
    expect(await client.me()).toMatchObject({ id: user.id });
    expect(await client.updateProfile({ fullName: null })).toMatchObject({ fullName: null });
    expect(await client.logout()).toEqual({ message: expect.any(String) });
    expect(client.token).toBeNull();
  });

  test('a refusal has the code, the status, and the fields by their names here', async () => {
    const { client } = await newcomer(door);
    expect(await refusalOf(client.login({ email: newAddress(), password }))).toMatchObject({
      ...{ code: 'invalid_credentials', status: 401, errors: [] },
    });
    const short = client.changePassword({ currentPassword: password, newPassword: 'short' });
    expect(await refusalOf(short)).toMatchObject({
      ...{ code: 'invalid_input', status: 422 },
      errors: [{ path: 'newPassword', message: 'must have 8 to 128 characters' }],
    });
    const wrong = client.changePassword({ currentPassword: 'wrong', newPassword: 'battery staple' });
    expect(await refusalOf(wrong)).toMatchObject({ code: 'wrong_password', status: 400 });
    expect(client.token).not.toBeNull();
  });

  test('an authenticator app is set up, asked for, and its wrong codes are counted', async () => {
    const { client, email } = await newcomer(door);
    const { id, secret, otpauthUrl, qrSvg } = await client.startTotpSetup();
    expect([otpauthUrl, qrSvg]).toEqual([expect.stringMatching(/^otpauth:/), expect.stringMatching(/<svg/)]);
    const added = await client.confirmTotpSetup({ id, code: codeOf(app, secret), name: 'Phone' });
    expect(added.authenticator).toEqual({
      ...{ id: expect.any(String), kind: 'totp', name: 'Phone' },
      ...{ createdAt: expect.any(String), lastUsedAt: null },
    });
    expect(added.recoveryCodes).toHaveLength(10);
    expect(added.session).toMatchObject({ accessToken: client.token });
    expect((await client.authenticators()).items).toEqual([added.authenticator]);

    const { client: other } = clientOf(app, door);
    const challenge = await other.login({ email, password });
    expect(challenge).toEqual({
      ...{ status: 'mfa_required', mfaPendingToken: expect.any(String), expiresIn: 600 },
      ...{ delivery: 'none', methods: ['totp', 'recovery_code'] },
    });
    expect(other.token).toBeNull();
    const { mfaPendingToken } = challenge as { mfaPendingToken: string };
    expect(await refusalOf(other.confirmLoginMfa({ mfaPendingToken, code: '000000' }))).toMatchObject({
      ...{ code: 'mfa_code_wrong', attemptsRemaining: 4 },
    });
    app.clock.advance(30_000);
    await other.confirmLoginMfa({ mfaPendingToken, method: 'totp', code: codeOf(app, secret) });
    expect(other.token).not.toBeNull();
  });

  test('a phone is set up and taken away', async () => {
    const { client } = await newcomer(door);
    const phoneNumber = newPhone();
    const { pendingToken } = await client.startPhoneSetup({ phoneNumber, currentPassword: password });
    const code = codeIn(await app.nextText(phoneNumber));
    expect(await client.confirmPhoneSetup({ pendingToken, code })).toMatchObject({
      phoneNumber,
      isMfaEnabled: true,
    });
    await client.disablePhone({ currentPassword: password });
    expect(await client.me()).toMatchObject({ phoneNumber: null });
  });

  test('sessions are listed and ended one by one', async () => {
    const { client, email } = await newcomer(door);
    const { client: other } = clientOf(app, door);
    await other.login({ email, password });
    const { items } = await client.sessions();
    expect(items.map(({ isCurrent }) => isCurrent).toSorted()).toEqual([false, true]);
    await client.endSession({ id: items.find(({ isCurrent }) => !isCurrent)!.id });
    expect((await client.sessions()).items).toHaveLength(1);
    expect(await client.endOtherSessions()).toMatchObject({ ended: 0 });
  });

  test('an unknown id ends nothing else', async () => {
    const { client } = await newcomer(door);
    for (const id of ['', '.', '..', 'unknown', 'a/b', '?x', '#x']) {
      expect((await refusalOf(client.endSession({ id }))).status, id).toBe(404);
    }
    const none = await refusalOf(client.endSession({ id: undefined as unknown as string }));
    expect(none.status).toBeOneOf([400, 404]);
    expect((await client.sessions()).items).toHaveLength(1);
  });

  test('a change of password or a deletion ends the session without a call of onSessionEnded', async () => {
    const { client, storage, ended, email } = await newcomer(door);
    const newPassword = 'battery staple horse';
    await client.changePassword({ currentPassword: password, newPassword });
    expect([storage.token, ended]).toEqual([null, []]);
    await client.login({ email, password: newPassword });
    await client.deleteAccount({ currentPassword: newPassword });
    expect([storage.token, ended]).toEqual([null, []]);
  });

  test('an external sign-in begins at an address', async () => {
    const { client } = clientOf(app, door);
    const refusal = await refusalOf(client.startOAuthLink({ provider: 'google' }));
    expect(refusal).toMatchObject({ code: 'not_found', status: 404 });
  });
});

describe.each(interfaces)('administration through %s', door => {
  let root: ReturnType<typeof clientOf>;
  beforeAll(async () => {
    const { email, password } = await signUpSuperuser(app);
    root = clientOf(app, door);
    await root.client.login({ email, password });
  });

  test('pages of accounts follow each other to the end', async () => {
    const people = [await newcomer(door), await newcomer(door), await newcomer(door)];
    const { client } = root;
    const [first, ...others] = people.map(({ user }) => user.id);
    const { total } = await client.users({ limit: 1 });
    const seen: string[] = [];
    for (let after: string | null = null, more = true; more; ) {
      const page = await client.users({ limit: 2, after });
      expect(page.total).toBe(total);
      expect(page.hasMore).toBe(page.nextCursor !== null);
      seen.push(...page.items.map(({ id }) => id));
      after = page.nextCursor;
      more = page.hasMore;
    }
    expect(seen).toHaveLength(total);
    expect(new Set(seen).size).toBe(total);
    expect(seen).toEqual(expect.arrayContaining([first, ...others]));
    expect(Object.keys(await client.users({ limit: 1 })).toSorted()).toEqual([
      ...['hasMore', 'items', 'nextCursor', 'total'],
    ]);
  });

  test('a page is searched and filtered', async () => {
    const { email, user } = await newcomer(door);
    const { client } = root;
    expect((await client.users({ search: email, isVerified: true })).items).toMatchObject([{ id: user.id }]);
    expect((await client.users({ search: email, isSuperuser: true })).items).toEqual([]);
    const refusal = await refusalOf(client.users({ limit: 0 }));
    expect(refusal).toMatchObject({ code: 'invalid_input', errors: [{ path: 'limit' }] });
  });

  test('pending registrations are listed and promoted by their address', async () => {
    const email = newAddress();
    await clientOf(app, door).client.register({ email, password });
    const { client } = root;
    expect((await client.pendingRegistrations({ search: email })).items).toEqual([
      ...[
        {
          email,
          fullName: null,
          createdAt: expect.any(String),
          expiresAt: expect.any(String),
          isContested: false,
        },
      ],
    ]);
    expect(await client.adminPromotePending({ email })).toMatchObject({ email, isVerified: true });
    expect((await client.pendingRegistrations({ search: email })).items).toEqual([]);
  });

  test('an account is read and changed by its id', async () => {
    const { user } = await newcomer(door);
    const { client } = root;
    const { id } = user;
    expect(await client.user({ id })).toMatchObject({ id });
    expect(await client.adminUpdateUser({ id, isActive: false })).toMatchObject({ isActive: false });
    expect(await refusalOf(client.user({ id: 'nobody' }))).toMatchObject({ code: 'not_found', status: 404 });
    expect(await client.adminStats()).toMatchObject({ superusers: expect.any(Number) });
    expect(await client.adminOverview()).toMatchObject({ since: expect.any(String), webhooksOff: 0 });
  });

  test('of an account, one session is ended, or all', async () => {
    const { client: owner, user, email } = await newcomer(door);
    await clientOf(app, door).client.login({ email, password });
    const { client } = root;
    const { items } = await client.userSessions({ id: user.id });
    expect(items).toHaveLength(2);
    expect(await client.adminEndSession({ id: user.id, sessionId: items[0]!.id })).toMatchObject({
      ended: 1,
    });
    expect(await client.adminEndSession({ id: user.id })).toMatchObject({ ended: 1 });
    expect(await refusalOf(owner.me())).toMatchObject({ code: 'unauthenticated' });
  });
});
