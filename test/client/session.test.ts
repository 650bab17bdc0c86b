import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type App, dataEncryptionKey, type Member, signUp, startApp, tokenOf } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';
import { isAlive, newAddress } from '../support/people.ts';
import { codeOf, strongSettings } from '../support/strong.ts';
import { heldRequests } from './held-requests.ts';
import { clientOf, interfaces, refusalOf, signIn } from './support.ts';

// The session of the client: which token it keeps, and when it reports that the session has ended (CONTRACT §14).

const held = heldRequests();
let app: App;
beforeAll(async () => {
  app = await startApp({ before: [held.handler], settings: { ...strongSettings, recentSignInSeconds: 900 } });
});
afterAll(() => app?.close());

/** A client that somebody has signed in with. */
async function signedIn(door: (typeof interfaces)[number] = 'rest', options = {}) {
  const member = await signUp(app);
  const used = clientOf(app, door, options);
  await signIn(used.client, member);
  return { ...used, member };
}

const endSessions = ({ token }: Pick<Member, 'token'>) =>
  app.rest('POST', '/logout', { everywhere: true }, { token });

describe.each(interfaces)('a session that has ended, through %s', door => {
  test('is told once, however many calls notice', async () => {
    const { client, storage, ended, member } = await signedIn(door);
    await endSessions(member);
    const calls = [client.me(), client.me(), client.sessions(), client.updateProfile({ fullName: 'Ada' })];
    for (const refusal of await Promise.all(calls.map(refusalOf)))
      expect(refusal).toMatchObject({ code: 'unauthenticated', status: 401 });
    expect([storage.token, ended]).toEqual([null, ['ended']]);
    expect(await refusalOf(client.me())).toMatchObject({ code: 'unauthenticated' });
    expect(ended).toEqual(['ended']);
  });

  test('is not reported without a session before', async () => {
    const { client, ended } = clientOf(app, door);
    expect(await refusalOf(client.me())).toMatchObject({ code: 'unauthenticated' });
    expect(ended).toEqual([]);
  });

  test('is not reported at a sign-out, though the server has ended it before', async () => {
    const { client, storage, ended, member } = await signedIn(door);
    await endSessions(member);
    expect(await refusalOf(client.logout())).toMatchObject({ code: 'unauthenticated' });
    expect([storage.token, ended]).toEqual([null, []]);
  });

  test('refused credentials end no session', async () => {
    const { client, ended, member } = await signedIn(door);
    const { token } = client;
    expect(await refusalOf(client.login({ email: member.email, password: 'wrong password' }))).toMatchObject({
      ...{ code: 'invalid_credentials', status: 401 },
    });
    expect([client.token, ended]).toEqual([token, []]);
  });
});

test('a call that needs no session is sent without the token', async () => {
  const seen: (string | undefined)[] = [];
  const watched = await startApp({
    before: [
      (req, _res, next) => {
        seen.push(req.headers.authorization);
        next();
      },
    ],
  });
  const member = await signUp(watched);
  for (const door of interfaces) {
    const { client } = clientOf(watched, door);
    await signIn(client, member);
    seen.length = 0;
    await client.features();
    await client.forgotPassword({ email: member.email });
    expect(seen).toEqual([undefined, undefined]);
    await client.me();
    expect(seen.at(-1)).toBe(`Bearer ${client.token}`);
  }
  await watched.close();
});

test('a late refusal of an old token leaves a newer one alone', async () => {
  const { client, storage, ended, member } = await signedIn();
  const late = held.request('/api/auth/me');
  const call = refusalOf(client.me());
  await late.here;
  await endSessions({ token: storage.token! });
  await signIn(client, member);
  const newer = storage.token;
  late.release();
  expect(await call).toMatchObject({ code: 'unauthenticated' });
  expect([storage.token, ended]).toEqual([newer, []]);
  expect(await client.me()).toMatchObject({ email: member.email });
});

test('signing out is no surprise to the calls that are on their way', async () => {
  const { client, storage, ended } = await signedIn();
  const answer = held.response('/api/auth/logout');
  const leaving = client.logout();
  await answer.here;
  expect(await refusalOf(client.me())).toMatchObject({ code: 'unauthenticated' });
  answer.release();
  await leaving;
  expect([storage.token, ended]).toEqual([null, []]);
});

test('signing out that fails leaves the session, whose later end is told', async () => {
  const { client, storage, ended, member } = await signedIn();
  const unreachable = clientOf({ url: 'http://127.0.0.1:1/api/auth' }, 'rest', { storage });
  expect(await refusalOf(unreachable.client.logout())).toMatchObject({ code: 'network', status: 0 });
  expect(await client.me()).toMatchObject({ email: member.email });
  await endSessions(member);
  await refusalOf(client.me());
  expect([storage.token, ended]).toEqual([null, ['ended']]);
});

describe.each(interfaces)('a token that an answer renews, through %s', door => {
  test('is kept: signing in again', async () => {
    const { client, member } = await signedIn(door);
    const former = client.token;
    const session = await client.reauthenticate({ password: member.password });
    expect(client.token).toBe((session as { accessToken: string }).accessToken);
    expect(client.token).not.toBe(former);
    expect(await client.me()).toMatchObject({ email: member.email });
  });

  test('is kept: ending the other sessions with a new authenticator', async () => {
    const other = await startApp({
      settings: { enableTotp: true, dataEncryptionKey },
    });
    const { client } = clientOf(other, door);
    await signIn(client, await signUp(other));
    const former = client.token;
    const { id, secret } = await client.startTotpSetup();
    const added = await client.confirmTotpSetup({ id, code: codeOf(other, secret), endOtherSessions: true });
    expect(client.token).toBe(added.session!.accessToken);
    expect(client.token).not.toBe(former);
    expect(await client.me()).toMatchObject({ isMfaEnabled: true });
    await other.close();
  });
});

describe.each(interfaces)('a session of two factors that a new authenticator gives, through %s', door => {
  test('takes the place of the one before, which ends', async () => {
    const { client, ended } = await signedIn(door);
    const former = client.token!;
    const { id, secret } = await client.startTotpSetup();
    const { session } = await client.confirmTotpSetup({ id, code: codeOf(app, secret) });
    expect(client.token).toBe(session!.accessToken);
    await eventually(async () => expect(await isAlive(app, former)).toBe(false));
    // The next set-up needs nothing more, and its session goes on.
    await client.startTotpSetup();
    expect([client.token, ended]).toEqual([session!.accessToken, []]);
  });

  test('ends when somebody has signed out meanwhile', async () => {
    const { client } = await signedIn(door);
    const { id, secret } = await client.startTotpSetup();
    const answer = held.response(`/api/auth/${door === 'rest' ? 'totp/confirm' : 'graphql'}`);
    const adding = client.confirmTotpSetup({ id, code: codeOf(app, secret) });
    await answer.here;
    await client.logout();
    answer.release();
    const { session } = await adding;
    expect(client.token).toBeNull();
    await eventually(async () => expect(await isAlive(app, session!.accessToken)).toBe(false));
  });
});

describe.each(interfaces)('a session that an answer brings after a sign-out was begun, through %s', door => {
  const pathOf = (name: string) => `/api/auth/${door === 'rest' ? name : 'graphql'}`;

  test('ends: that of a new authenticator', async () => {
    const { client } = await signedIn(door);
    const { id, secret } = await client.startTotpSetup();
    const answer = held.response(pathOf('totp/confirm'));
    const adding = client.confirmTotpSetup({ id, code: codeOf(app, secret) });
    await answer.here;
    const goodbye = held.request(pathOf('logout'));
    const leaving = client.logout();
    await goodbye.here;
    answer.release();
    const { session } = await adding;
    goodbye.release();
    await leaving;
    expect(client.token).toBeNull();
    await eventually(async () => expect(await isAlive(app, session!.accessToken)).toBe(false));
  });

  test('ends: that of signing in again', async () => {
    const { client, member } = await signedIn(door);
    const answer = held.response(pathOf('reauthenticate'));
    const renewing = client.reauthenticate({ password: member.password });
    await answer.here;
    const goodbye = held.request(pathOf('logout'));
    const leaving = refusalOf(client.logout());
    await goodbye.here;
    answer.release();
    const session = (await renewing) as { accessToken: string };
    goodbye.release();
    await leaving;
    expect(client.token).toBeNull();
    await eventually(async () => expect(await isAlive(app, session.accessToken)).toBe(false));
  });
});

test('a token that is being replaced ends nothing when it is refused before its successor is here', async () => {
  const { client, ended, member } = await signedIn();
  const answer = held.response('/api/auth/reauthenticate');
  const renewing = client.reauthenticate({ password: member.password });
  await answer.here;
  const refused = refusalOf(client.me());
  answer.release();
  expect(await refused).toMatchObject({ code: 'unauthenticated' });
  const session = (await renewing) as { accessToken: string };
  expect([client.token, ended]).toEqual([session.accessToken, []]);
});

test('a token that arrives after somebody has signed out is not kept', async () => {
  const { client, member } = await signedIn();
  const answer = held.response('/api/auth/reauthenticate');
  const renewing = client.reauthenticate({ password: member.password });
  await answer.here;
  await refusalOf(client.logout());
  answer.release();
  await renewing;
  expect(client.token).toBeNull();
});

describe('a call that needs a recent sign-in', () => {
  const later = () => app.clock.advance(901_000);

  test('is made once more when somebody has signed in again, once for all that wait', async () => {
    let asked = 0;
    const used = await signedIn('rest', {
      onRecentSignInRequired: async () => {
        asked += 1;
        await used.client.reauthenticate({ password: used.member.password });
      },
    });
    later();
    const [first, second] = await Promise.all([used.client.startTotpSetup(), used.client.startTotpSetup()]);
    expect([first.secret, second.secret]).toEqual([expect.any(String), expect.any(String)]);
    expect([asked, used.ended]).toEqual([1, []]);
  });

  test('is made only once more', async () => {
    let asked = 0;
    const { client, ended } = await signedIn('graphql', { onRecentSignInRequired: () => void asked++ });
    later();
    expect(await refusalOf(client.startTotpSetup())).toMatchObject({
      code: 'recent_sign_in_required',
      status: 401,
    });
    expect([asked, ended]).toEqual([1, []]);
    expect(client.token).not.toBeNull();
  });

  test('fails without another sign-in', async () => {
    const refusing = await signedIn('rest', { onRecentSignInRequired: () => false });
    const without = await signedIn('rest');
    later();
    for (const { client } of [refusing, without]) {
      expect(await refusalOf(client.startTotpSetup())).toMatchObject({ code: 'recent_sign_in_required' });
    }
  });

  test('fails with what signing in again failed with', async () => {
    const { client } = await signedIn('rest', {
      onRecentSignInRequired: () => {
        throw new Error('The window was closed.');
      },
    });
    later();
    await expect(client.startTotpSetup()).rejects.toThrow('The window was closed.');
  });
});

test('listeners hear of every change until they leave', async () => {
  const { client } = clientOf(app, 'rest');
  const heard: (string | null)[] = [];
  const leave = client.subscribe(() => void heard.push(client.token));
  await signIn(client, await signUp(app));
  const { token } = client;
  await client.logout();
  expect(heard).toEqual([token, null]);
  leave();
  await signIn(client, await signUp(app));
  expect(heard).toHaveLength(2);
});

// Shows 63b/5.1#no-remember.
test('without a browser the token is kept in memory, each client its own', async () => {
  const member = await signUp(app);
  const { client } = clientOf(app, 'rest', { storage: undefined });
  const { client: other } = clientOf(app, 'rest', { storage: undefined });
  await signIn(client, member);
  expect(await client.me()).toMatchObject({ email: member.email });
  expect(other.token).toBeNull();
  await client.logout();
  expect(client.token).toBeNull();
});

test('a sign-in brings the session that is stored, so that the server can end it', async () => {
  const replacing = await startApp({
    settings: { replaceSessionAtSignIn: true, emailChangeNeedsAccount: true },
  });
  const [first, second] = [await signUp(replacing), await signUp(replacing)];
  for (const door of interfaces) {
    const { client } = clientOf(replacing, door);
    await signIn(client, first);
    const former = client.token!;
    await signIn(client, second);
    expect(await isAlive(replacing, former)).toBe(false);
    expect(await isAlive(replacing, client.token!)).toBe(true);
    // The link of a new address counts with the session of its account.
    const newEmail = newAddress();
    await client.changeEmail({ currentPassword: second.password, newEmail });
    const token = tokenOf(await replacing.nextMail(newEmail));
    expect(await client.confirmEmailChange({ token })).toMatchObject({ email: newEmail });
    second.email = newEmail;
  }
  await replacing.close();
});
