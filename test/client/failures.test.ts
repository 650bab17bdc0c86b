import type { RequestListener } from 'node:http';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type App, signUp, startApp } from '../support/app.ts';
import { listen } from '../support/listening.ts';
import { strongSettings } from '../support/strong.ts';
import { clientOf, interfaces, refusalOf, signIn } from './support.ts';

// Failures without an answer of Gatehouse, as the client reports them.

/** A server that is not Gatehouse. */
async function serverThat(answers: RequestListener): Promise<{ url: string }> {
  const { origin, close } = await listen(answers);
  onTestFinished(close);
  return { url: `${origin}/api/auth` };
}

const login = { email: 'ada@example.org', password: 'correct horse' };

describe.each(interfaces)('through %s', door => {
  test('a server that is not there is a failure of the network', async () => {
    const { client, storage, ended } = clientOf({ url: 'http://127.0.0.1:1/api/auth' }, door);
    storage.set('token');
    expect(await refusalOf(client.me())).toMatchObject({ code: 'network', status: 0, errors: [] });
    expect([storage.token, ended]).toEqual(['token', []]);
  });

  test('a response that breaks off is a failure of the network', async () => {
    const server = await serverThat((_req, res) => {
      res.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '100' });
      res.write('{"id":', () => res.destroy());
    });
    expect(await refusalOf(clientOf(server, door).client.me())).toMatchObject({ code: 'network' });
  });

  test.each([
    ['a proxy whose server is away', 502, '<html>Bad Gateway</html>', 'unavailable'],
    ['a host that has no such path', 404, 'Cannot POST', 'not_found'],
    ['a page in place of the API', 200, '<!doctype html>', 'unexpected_response'],
    ['nothing', 200, '', 'unexpected_response'],
    ['a proxy that forbids it', 403, '<html>Forbidden</html>', 'unexpected_response'],
    ['a proxy that counts', 429, 'Slow down', 'rate_limited'],
    ['a gateway with errors of its own', 422, '{"errors":{"email":["is taken"]}}', 'unexpected_response'],
    ['a gateway with errors that are texts', 400, '{"errors":["no"]}', 'unexpected_response'],
  ])('%s', async (_, status, text, code) => {
    const server = await serverThat((_req, res) => res.writeHead(status, { 'Retry-After': '7' }).end(text));
    const { client, storage, ended } = clientOf(server, door);
    storage.set('token');
    expect(await refusalOf(client.me())).toMatchObject({ code, status, retryAfter: 7 });
    expect([storage.token, ended]).toEqual(['token', []]);
  });

  test('a sign-in that is too old is refused with the age that would do', async () => {
    const app = await startApp({ settings: strongSettings });
    onTestFinished(app.close);
    const { client } = clientOf(app, door);
    await signIn(client, await signUp(app));
    app.clock.advance(901_000);
    const refused = { code: 'recent_sign_in_required', maxAge: 900 };
    expect(await refusalOf(client.startTotpSetup())).toMatchObject(refused);
  });

  test('an answer that is no JSON is told by the name of the error, which alone Safari has', async () => {
    const server = await serverThat((_req, res) => res.writeHead(502).end('<html>'));
    const inSafari = new DOMException('The string did not match the expected pattern.', 'SyntaxError');
    vi.spyOn(Response.prototype, 'json').mockRejectedValue(inSafari);
    onTestFinished(() => void vi.restoreAllMocks());
    expect(await refusalOf(clientOf(server, door).client.me())).toMatchObject({ code: 'unavailable' });
  });

  test('a call can be aborted, with the reason of its signal', async () => {
    const arrived = Promise.withResolvers<void>();
    const { client } = clientOf(await serverThat(() => arrived.resolve()), door);
    const controller = new AbortController();
    const call = client.login(login, { signal: controller.signal });
    await arrived.promise;
    controller.abort(new Error('The person has left.'));
    await expect(call).rejects.toThrow('The person has left.');
  });

  test('a limit says in how many seconds to come back', async () => {
    const app = await startApp({ settings: { loginRateLimit: '1/minute' } });
    const { client } = clientOf(app, door);
    await refusalOf(client.login(login));
    expect(await refusalOf(client.login(login))).toMatchObject({
      ...{ code: 'rate_limited', status: 429 },
      retryAfter: expect.toSatisfy(seconds => seconds >= 1 && seconds <= 60),
    });
    await app.close();
  });

  test('an URL may end with a slash', async () => {
    const app = await startApp();
    const { client } = clientOf({ url: `${app.url}/` }, door);
    expect(await client.features()).toMatchObject({ registration: true, sms2fa: false });
    await app.close();
  });
});

describe.each(interfaces)('a feature that is off, through %s', door => {
  let app: App;
  beforeAll(async () => {
    app = await startApp({ settings: { enablePasswordReset: false, enableAccountDeletion: false } });
  });
  afterAll(() => app?.close());

  test('is not found, for every caller', async () => {
    const member = await signUp(app);
    const { client, ended } = clientOf(app, door);
    await signIn(client, member);
    const calls = {
      forgotPassword: () => client.forgotPassword(login),
      deleteAccount: () => client.deleteAccount({ currentPassword: member.password }),
      startTotpSetup: () => client.startTotpSetup(),
      confirmTotpSetup: () => client.confirmTotpSetup({ id: 'x', code: '1' }),
      confirmLoginMfa: () => client.confirmLoginMfa({ mfaPendingToken: 'x', code: '1' }),
      sessions: () => client.sessions(),
      users: () => client.users({ search: 'ada', isActive: true }),
      user: () => client.user({ id: 'x' }),
      oauthProviders: () => client.oauthProviders(),
      startPasskeyLogin: () => client.startPasskeyLogin(),
    };
    for (const [name, call] of Object.entries(calls))
      expect(await refusalOf(call()), name).toMatchObject({ code: 'not_found', status: 404 });
    expect(client.token).not.toBeNull();
    expect(ended).toEqual([]);
  });

  test('leaves the rest as it is', async () => {
    const { client } = clientOf(app, door);
    const member = await signUp(app);
    await signIn(client, member);
    expect(await client.me()).toMatchObject({ email: member.email });
    expect(await client.features()).toMatchObject({ passwordReset: false, oauthProviders: [] });
  });
});

test('where GraphQL is off, none of its operations is found, and those of REST are', async () => {
  const app = await startApp({ settings: { enableGraphql: false } });
  expect(await refusalOf(clientOf(app, 'graphql').client.features())).toMatchObject({
    ...{ code: 'not_found', status: 404 },
  });
  expect(await clientOf(app, 'rest').client.features()).toMatchObject({ registration: true });
  await app.close();
});
