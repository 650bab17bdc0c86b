import { join } from 'node:path';
import { build } from 'esbuild';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { signUp, startApp } from '../support/app.ts';
import { strongSettings } from '../support/strong.ts';
import { signInBy, tokenIn, useSite } from './support.ts';
import { attachAuthenticator } from './virtual-authenticator.ts';

// gatehouse-auth/client in a browser: its storage, which is that of the bundled pages, and passkeys (CONTRACT §14).

const site = useSite(strongSettings);
let script: string;
beforeAll(async () => {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, '../../src/client/index.ts')],
    ...{ bundle: true, format: 'iife', globalName: 'library', write: false },
  });
  script = outputFiles[0]!.text;
});

/** A page of the site without scripts of its own. */
const blank = () => `${site.origin}/nothing`;

/** A page of the site that has a client, and calls it with a text of JavaScript. */
async function open(door: 'rest' | 'graphql', page?: Page) {
  const opened = page ?? (await site.open(blank()));
  await opened.evaluate(script.replace('var library =', 'globalThis.library ='));
  await opened.evaluate(`globalThis.client = library.createClient({ url: '/api/auth', door: '${door}' })`);
  return {
    page: opened,
    /** The result of an expression, or the code of the error that it rejects with. */
    call: (expression: string) =>
      opened.evaluate<unknown>(
        `(async () => ${expression})().catch(error => ({ name: error.name, code: error.code }))`,
      ),
  };
}

const refusal = (code: string) => ({ name: 'GatehouseError', code });

describe.each(['rest', 'graphql'] as const)('through %s', door => {
  test('the bundled pages and the client share one session', async () => {
    const { email, password } = await signUp(site.app);
    const { page, call } = await open(door);
    await call(`client.login(${JSON.stringify({ email, password })})`);
    expect(await tokenIn(page)).toBe(await call('client.token'));
    await page.goto(site.page('me'));
    await page.getByRole('heading', { name: 'Your account' }).waitFor();

    await page.goto(blank());
    const again = await open(door, page);
    expect(await again.call('client.me()')).toMatchObject({ email });
    await again.call('client.logout()');
    expect(await tokenIn(page)).toBeNull();
    await page.goto(site.page('login'));
    await signInBy(page, email, password);
    await page.goto(blank());
    expect(await (await open(door, page)).call('client.me()')).toMatchObject({ email });
  });

  test('a passkey is added with its name, and signs in', async () => {
    const { email, token } = await signUp(site.app);
    const { page, call } = await open(door, await site.openSignedIn(blank(), token));
    const device = await attachAuthenticator(page);
    const added = await call(`client.addPasskey({ name: 'Laptop' })`);
    expect(added).toMatchObject({ authenticator: { kind: 'passkey', name: 'Laptop', isSynced: false } });
    expect((added as { recoveryCodes: string[] }).recoveryCodes).toHaveLength(10);
    expect(await device.credentials()).toMatchObject([{ rpId: 'localhost', isResidentCredential: true }]);
    expect(await call('client.addPasskey()')).toEqual(refusal('passkey_known'));

    await call('client.logout()');
    expect(await call('client.signInWithPasskey()')).toMatchObject({ tokenType: 'bearer' });
    expect(await call('client.me()')).toMatchObject({ email });
  });

  test('signing in again with a passkey makes a call possible', async () => {
    const { token } = await signUp(site.app);
    const { page, call } = await open(door, await site.openSignedIn(blank(), token));
    await attachAuthenticator(page);
    await call(`client.addPasskey({ name: 'Laptop' })`);
    site.app.clock.advance(3_600_000);
    expect(await call('client.startTotpSetup()')).toEqual(refusal('recent_sign_in_required'));
    await page.evaluate(`globalThis.client = library.createClient({ url: '/api/auth', door: '${door}',
      async onRecentSignInRequired() {
        const { id, options } = await client.startPasskeyLogin();
        await client.reauthenticate({ id, credential: await library.getPasskey(options) });
      } })`);
    expect(await call('client.startTotpSetup()')).toMatchObject({ secret: expect.any(String) });
  });
});

test.each(['rest', 'graphql'] as const)(
  'an API of another origin is called as one’s own, through %s',
  async door => {
    const elsewhere = await startApp({
      settings: { corsOrigins: [site.origin], loginRateLimit: '2/minute' },
    });
    site.expectComplaint(/^request to /);
    const { email, password } = await signUp(elsewhere);
    const { page, call } = await open(door);
    await page.evaluate(
      `globalThis.client = library.createClient({ url: '${elsewhere.url}', door: '${door}' })`,
    );
    const login = `client.login(${JSON.stringify({ email, password })})`;
    await call(login);
    expect(await call('client.updateProfile({ fullName: null })')).toMatchObject({ email });
    expect(await call(login)).toEqual(refusal('rate_limited'));
    expect(await call(`${login}.catch(error => error.retryAfter)`)).toBeGreaterThan(0);
    await elsewhere.close();
  },
);

test('a passkey that is refused or unknown is a refusal by its code', async () => {
  const { page, call } = await open('rest');
  const device = await attachAuthenticator(page);
  expect(await call('client.signInWithPasskey()')).toEqual(refusal('passkey_cancelled'));
  await device.verifies(false);
  expect(await call('client.signInWithPasskey()')).toEqual(refusal('passkey_cancelled'));
});

test('a request for a passkey can be aborted', async () => {
  const { call } = await open('rest');
  const aborted = await call(`{
    const controller = new AbortController();
    const asked = client.signInWithPasskey({ mediation: 'conditional', signal: controller.signal });
    controller.abort(new Error('The person has left.'));
    return asked;
  }`);
  expect(aborted).toEqual({ name: 'Error', code: undefined });
});

test('where the browser has no passkeys, the client says so', async () => {
  const { page, call } = await open('graphql');
  await page.evaluate('delete globalThis.PublicKeyCredential');
  expect(await call('client.signInWithPasskey()')).toEqual(refusal('passkey_unsupported'));
});

test('where the page may not store anything, the session lasts as long as the page', async () => {
  const { email, password } = await signUp(site.app);
  const { page, call } = await open('rest');
  await page.evaluate(`Object.defineProperty(globalThis, 'localStorage', {
    get() { throw new DOMException('Storage is blocked.', 'SecurityError'); } })`);
  await page.evaluate(`globalThis.client = library.createClient({ url: '/api/auth', door: 'rest' })`);
  await call(`client.login(${JSON.stringify({ email, password })})`);
  expect(await call('client.me()')).toMatchObject({ email });
});
