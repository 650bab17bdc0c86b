import { afterAll, beforeAll, expect, test } from 'vitest';
import { type App, logIn, password, type Reply, startApp, tokenOf } from '../support/app.ts';
import { describeEachKind, type TestDatabase } from '../support/backends.ts';
import { newAddress } from '../support/people.ts';

const atOnce = (count: number, work: (i: number) => Promise<Reply>) =>
  Promise.all(Array.from({ length: count }, (_, i) => work(i)));

/** How many answers had each code; successes count as `ok`. */
function tally(replies: Reply[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status, body } of replies) {
    const code = status < 400 ? 'ok' : body.code;
    counts[code] = (counts[code] ?? 0) + 1;
  }
  return counts;
}

describeEachKind('registrations at once', backend => {
  let database: TestDatabase;
  let strict: App;
  let lax: App;
  beforeAll(async () => {
    database = await backend.lendDatabase();
    strict = await startApp({ databaseUrl: database.url });
    lax = await startApp({ databaseUrl: database.url, settings: { requireVerification: false } });
  });
  afterAll(async () => {
    await strict?.close();
    await lax?.close();
    await database?.drop();
  });

  test('40 of one address make one user, whose password is that of the one who was told so', async () => {
    const email = newAddress();
    const events: unknown[] = [];
    const stop = lax.gatehouse.on('user_registered', event => events.push(event));
    const replies = await atOnce(40, i =>
      lax.rest('POST', '/register', {
        email: i % 2 ? email : email.toUpperCase(),
        password: `password ${i}`,
      }),
    );
    stop();
    expect(tally(replies)).toEqual({ ok: 1, email_taken: 39 });
    expect(events).toHaveLength(1);
    const winner = replies.findIndex(({ status }) => status === 201);
    await logIn(lax, { email, password: `password ${winner}` });
  });

  test('40 uses of one link make one user, and one is told so', async () => {
    const email = newAddress();
    await strict.rest('POST', '/register', { email, password });
    const token = tokenOf(await strict.nextMail(email));
    const replies = await atOnce(40, () => strict.rest('POST', '/verify', { token }));
    expect(tally(replies)).toEqual({ ok: 1, invalid_token: 39 });
    await logIn(strict, { email, password });
  });

  test('40 uses of a link that verifies a user who is there already: one succeeds', async () => {
    const email = newAddress();
    await lax.rest('POST', '/register', { email, password });
    await lax.rest('POST', '/resend-verification', { email });
    const token = tokenOf(await lax.nextMail(email));
    const replies = await atOnce(40, () => lax.rest('POST', '/verify', { token }));
    expect(tally(replies)).toEqual({ ok: 1, invalid_token: 39 });
  });

  test('of three registrations of one address that waits, one link works', async () => {
    const email = newAddress();
    await atOnce(3, () => strict.rest('POST', '/register', { email, password }));
    const mails = [await strict.nextMail(email), await strict.nextMail(email), await strict.nextMail(email)];
    const replies = await atOnce(3, i =>
      strict.rest('POST', '/verify', { token: tokenOf(mails[i]!), password }),
    );
    expect(tally(replies)).toEqual({ ok: 1, invalid_token: 2 });
  });

  test.skipIf(backend.name === 'sqlite-memory')(
    'a link is dead once its address has a user by another way',
    async () => {
      // An attacker registers somebody's address and waits for the owner to open the link.
      const email = newAddress();
      await strict.rest('POST', '/register', { email, password: 'the stranger chose this' });
      const token = tokenOf(await strict.nextMail(email));
      await lax.rest('POST', '/register', { email, password });
      expect((await strict.rest('POST', '/verify', { token })).body.code).toBe('invalid_token');
      await logIn(lax, { email, password });
    },
  );
});
