import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Assembled } from '../../src/gatehouse.ts';
import { type App, logIn, signUp, startApp } from '../support/app.ts';
import { disowning, enterWith, nextNotMe, safari } from '../support/not-me.ts';

const newPassword = 'another horse battery';

let app: App;
beforeAll(async () => {
  app = await startApp({
    settings: {
      ...disowning,
      maxConsecutiveFailures: 3,
      loginLockoutThreshold: 100,
      enableAdminRouter: true,
    },
  });
});
afterAll(() => app?.close());

async function victim() {
  const owner = await signUp(app);
  await enterWith(app, safari, owner);
  return { owner, link: await nextNotMe(app, owner.email, /^A new sign-in/) };
}
const use = (body: object) => app.rest('POST', '/not-me', body);

test('neither the token nor the former hash is readable in the database or in the log', async () => {
  const { owner, link } = await victim();
  const { hashedPassword } = (await app.gatehouse.repositories.users.find(owner.id))!;
  const rows = JSON.stringify(await app.gatehouse.repositories.not_me_links.listByUser(owner.id));
  await use({ token: link });
  await use({ token: link, password: owner.password, new_password: newPassword });
  const audit: unknown[] = app.logs.map(({ fields, message }) => [message, fields]);
  for (const text of [rows, JSON.stringify(audit)]) {
    expect(text).not.toContain(link);
    expect(text).not.toContain(hashedPassword);
    expect(text).not.toContain('$argon2');
    expect(text).not.toContain(owner.email);
  }
});

test('a snapshot that was copied to the row of another link does not open', async () => {
  const [one, other] = [await victim(), await victim()];
  const { not_me_links } = app.gatehouse.repositories;
  const [source] = await not_me_links.listByUser(one.owner.id);
  const [target] = await not_me_links.listByUser(other.owner.id);
  await not_me_links.remove(target!.id);
  await not_me_links.add({ ...target!, snapshot: source!.snapshot });
  const reply = await use({ token: other.link, password: one.owner.password, new_password: newPassword });
  expect(reply.status).toBe(500);
  // Ending the sessions needs nothing of it.
  expect((await use({ token: other.link })).body.password_needed).toBe(false);
});

test('so many wrong passwords, however slowly they come, make the link refuse the right one, too', async () => {
  const { owner, link } = await victim();
  for (let i = 0; i < 3; i++) {
    expect((await use({ token: link, password: `wrong ${i}` })).body.code).toBe('wrong_password');
    app.clock.advance(3_600_000);
  }
  const right = { token: link, password: owner.password, new_password: newPassword };
  expect((await use(right)).body.code).toBe('wrong_password');
});

test('an operator sees that the password was stopped, and it is not exported', async () => {
  const { owner, link } = await victim();
  await use({ token: link });
  const { operator } = app.gatehouse as Assembled;
  expect(await operator.show({ email: owner.email })).toMatchObject({ password_blocked: true });
  const lines: string[] = [];
  for await (const page of await operator.exportUsers({ withHashes: true })) lines.push(...page);
  const line = lines.find(each => each.includes(owner.email))!;
  expect(JSON.parse(line)).not.toHaveProperty('hashed_password');
});

test('the audit says what the link changed', async () => {
  const { owner, link } = await victim();
  const heard: { act: string; subject: string | null; changes: string[] | null }[] = [];
  const off = app.gatehouse.on('audit', record => void heard.push(record));
  await use({ token: link });
  await use({ token: link, password: owner.password, new_password: newPassword });
  off();
  const own = heard.filter(({ act }) => act === 'reportNotMe');
  expect(own).toMatchObject([
    { subject: owner.id, changes: ['sessions', 'password'] },
    { subject: owner.id, changes: ['sessions', 'password'] },
  ]);
  await logIn(app, { ...owner, password: newPassword });
});
