import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Assembled } from '../../../src/gatehouse.ts';
import { type App, startApp } from '../../support/app.ts';
import { disowning, enterWith, nextNotMe, safari, signsIn, signUpBefore } from '../../support/not-me.ts';

let app: App;
beforeAll(async () => {
  app = await startApp({ settings: { ...disowning, loginLockoutThreshold: 100, enableAdminRouter: true } });
});
afterAll(() => app?.close());

async function victim(of = app) {
  const owner = await signUpBefore(of);
  await enterWith(of, safari, owner);
  return { owner, link: await nextNotMe(of, owner.email, /^A new sign-in/) };
}
const use = (token: string, of = app) => of.rest('POST', '/not-me', { token });

test('neither the token nor the address is readable in the database or in the log', async () => {
  const { owner, link } = await victim();
  const rows = JSON.stringify(await app.gatehouse.repositories.not_me_links.listByUser(owner.id));
  await use(link);
  const logged = JSON.stringify(app.logs.map(({ fields, message }) => [message, fields]));
  for (const text of [rows, logged]) {
    expect(text).not.toContain(link);
    expect(text).not.toContain('$argon2');
    expect(text).not.toContain(owner.email);
  }
});

test('an act that was copied to the row of another link does not open, and counts at the time of its email', async () => {
  const [one, other] = [await victim(), await victim()];
  const { not_me_links, users } = app.gatehouse.repositories;
  const [source] = await not_me_links.listByUser(one.owner.id);
  const [target] = await not_me_links.listByUser(other.owner.id);
  const { rows } = (app.gatehouse as Assembled).dependencies.repositories;
  await rows.removeOwned(other.owner.id, { isTakeOver: true });
  await not_me_links.add({ ...target!, snapshot: source!.snapshot });
  expect((await use(other.link)).body.password_needed).toBe(true);
  const { distrustedSince, resetsHeldAt } = (await users.find(other.owner.id))!;
  expect(resetsHeldAt).toBeNull();
  expect(distrustedSince).toBeInstanceOf(Date);
});

test('an operator sees that the password was stopped, and releases it', async () => {
  const { owner, link } = await victim();
  await use(link);
  const { operator } = app.gatehouse as Assembled;
  expect(await operator.show({ email: owner.email })).toMatchObject({
    ...{ password_blocked: true, reported_at: expect.any(String) },
  });
  await operator.unlock({ email: owner.email });
  expect(await signsIn(app, owner)).toBe(true);
});

test('the audit says what the link changed', async () => {
  const { owner, link } = await victim();
  const heard: { act: string; subject: string | null; changes: string[] | null }[] = [];
  const off = app.gatehouse.on('audit', record => void heard.push(record));
  await use(link);
  off();
  expect(heard.filter(({ act }) => act === 'reportNotMe')).toMatchObject([
    { subject: owner.id, changes: ['sessions', 'password', 'reported_at'] },
  ]);
});

test('without resets by email the link ends the sessions alone', async () => {
  const others = await startApp({ settings: { ...disowning, enablePasswordReset: false } });
  try {
    const { owner, link } = await victim(others);
    const { body } = await use(link, others);
    expect(body).toEqual({
      message: 'Every session of the account has ended. Ask help@example.org for help.',
      password_needed: false,
    });
    expect((await others.rest('GET', '/me', undefined, owner)).status).toBe(401);
    expect(await signsIn(others, owner)).toBe(true);
    expect((await use(link, others)).body.code).toBe('invalid_token');
  } finally {
    await others.close();
  }
});
