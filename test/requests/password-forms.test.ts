import { randomUUID } from 'node:crypto';
import { hash as argon2, argon2id } from 'argon2';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { isOfNfc } from '../../src/crypto/password-form.ts';
import { PasswordHasher } from '../../src/crypto/password-hash.ts';
import type { Assembled } from '../../src/gatehouse.ts';
import { cheapHash } from '../../src/testing/cheap-hash.ts';
import { type App, signUp, startApp, tokenOf } from '../support/app.ts';
import { describeEachDriver } from '../support/backends.ts';
import { newAddress } from '../support/people.ts';

// Passwords are normalised to NFC; former versions used NFKC, and other systems nothing. Which of them a hash was made from
// is stored beside it, by a fingerprint: a former version that replaces the hash leaves the fingerprint as it was.

/** One letter as two characters; one of its compatibility forms; all forms differ. */
const typed = 'Zu\u0308rich pa\ufb01word';
const [nfc, nfkc] = [typed.normalize('NFC'), typed.normalize('NFKC')];
const forms = [typed, nfc, nfkc];

const hashOf = (text: string) => argon2(text, { type: argon2id, parallelism: 1, ...cheapHash });

describeEachDriver('a password', backend => {
  let app: App;
  beforeAll(async () => {
    app = await startApp({ backend });
  });
  afterAll(() => app?.close());

  const users = () => app.gatehouse.repositories.users;
  const login = async (email: string, password: string) =>
    (await app.rest('POST', '/login', { email, password })).status;

  /** Which of the three forms sign in. */
  async function accepted(email: string): Promise<string[]> {
    const right: string[] = [];
    for (const form of forms) {
      if ((await login(email, form)) === 200) right.push(form);
      app.clock.advance(1_000_000);
    }
    return right;
  }

  async function registered(password: string) {
    const email = newAddress();
    await app.rest('POST', '/register', { email, password });
    const { body } = await app.rest('POST', '/verify', { token: tokenOf(await app.nextMail(email)) });
    return { email, id: body.id as string };
  }

  // Shows asvs/6.2.8, 63b/3.1.1.2#whole.
  test('that was set here is the same however a keyboard makes its letters, and no compatible form of it', async () => {
    const { email, id } = await registered(typed);
    expect(isOfNfc((await users().find(id))!)).toBe(true);
    expect(await accepted(email)).toEqual([typed, nfc]);
    expect(await login(email, ` ${nfc}`)).toBe(401);
    expect(await login(email, nfc.toLowerCase())).toBe(401);
  });

  test('has a time, which a renewed hash keeps and another password replaces', async () => {
    const email = newAddress();
    const chosenAt = app.clock.now();
    await app.rest('POST', '/register', { email, password: typed });
    app.clock.advance(60_000);
    const { body } = await app.rest('POST', '/verify', { token: tokenOf(await app.nextMail(email)) });
    const id = body.id as string;
    expect(await users().find(id)).toMatchObject({ passwordSetAt: chosenAt });

    const cost = { ...cheapHash, timeCost: cheapHash.timeCost + 1 };
    const hashedPassword = await argon2(nfkc, { type: argon2id, parallelism: 2, ...cost });
    await users().change(id, { set: { hashedPassword } });
    const { body: session } = await app.rest('POST', '/login', { email, password: nfkc });
    const rehashed = await users().find(id);
    expect(rehashed?.hashedPassword).not.toBe(hashedPassword);
    expect(rehashed).toMatchObject({ passwordSetAt: chosenAt });

    app.clock.advance(60_000);
    const change = { current_password: nfkc, new_password: 'another pass phrase' };
    const changed = await app.rest('POST', '/change-password', change, {
      token: session.access_token as string,
    });
    expect(changed.status).toBe(200);
    expect(await users().find(id)).toMatchObject({ passwordSetAt: app.clock.now() });
  });

  test('whose hash somebody else has made is accepted in each form', async () => {
    for (const form of forms) {
      const { email, id } = await registered('a password of before');
      // As a former version does it: the fingerprint stays.
      await users().change(id, { set: { hashedPassword: await hashOf(form) } });
      expect(isOfNfc((await users().find(id))!)).toBe(false);
      const others = form === nfkc ? forms : form === nfc ? [typed, nfc] : [typed];
      expect(await accepted(email)).toEqual(others);
    }
  });

  test('is of NFC from its next hash on', async () => {
    const { email, id } = await registered('a password of before');
    const outdated = await argon2(nfkc, { type: argon2id, ...cheapHash, timeCost: cheapHash.timeCost + 1 });
    await users().change(id, { set: { hashedPassword: outdated, passwordForm: null } });
    expect(await login(email, typed)).toBe(200);
    expect(isOfNfc((await users().find(id))!)).toBe(true);
    expect(await accepted(email)).toEqual([typed, nfc]);
  });

  test('is unchanged in any form', async () => {
    const { email, id, token, password: first } = await signUp(app);
    const change = (current_password: string, new_password: string) =>
      app.rest('POST', '/change-password', { current_password, new_password }, { token });
    expect((await change(first, first)).body.code).toBe('password_unchanged');
    await users().change(id, { set: { hashedPassword: await hashOf(nfkc), passwordForm: null } });
    for (const form of forms)
      expect((await change(typed, form)).body.code, JSON.stringify(form)).toBe('password_unchanged');
    expect((await change(typed, 'quite another one')).status).toBe(200);
    expect(await login(email, 'quite another one')).toBe(200);
  });

  test('is stored with its form wherever it is set', async () => {
    const { hasher } = (app.gatehouse as Assembled).dependencies.passwords;
    const { id } = await signUp(app);
    const isNamed = async (userId: string) => isOfNfc((await users().find(userId))!);
    expect(await isNamed(id)).toBe(true);
    const made = await app.gatehouse.users.create({ email: newAddress(), password: typed });
    expect(await isNamed(made.id)).toBe(true);
    expect(isOfNfc(await hasher.rehash(typed))).toBe(true);
    const email = newAddress();
    const pending = async (password: string) => {
      await app.rest('POST', '/register', { email, password });
      return tokenOf(await app.nextMail(email));
    };
    await pending(typed);
    expect(isOfNfc((await app.gatehouse.repositories.pending.find(email))!)).toBe(true);
    // Contested: the reader of the mailbox chooses the password.
    const { body } = await app.rest('POST', '/verify', { token: await pending(nfkc), password: typed });
    expect(await isNamed(body.id)).toBe(true);
    expect(await accepted(email)).toEqual([typed, nfc]);
    await app.rest('POST', '/forgot-password', { email });
    const token = tokenOf(await app.nextMail(email));
    await app.rest('POST', '/reset-password', { token, new_password: `${typed}!` });
    expect(await isNamed(body.id)).toBe(true);
  });

  test('that was stopped and is released again keeps its form', async () => {
    const { hasher } = (app.gatehouse as Assembled).dependencies.passwords;
    const stored = await hasher.rehash(typed);
    expect(isOfNfc({ ...stored, hashedPassword: `!~${stored.hashedPassword}` })).toBe(true);
    expect(isOfNfc({ ...stored, hashedPassword: null })).toBe(false);
  });
});

describe('a wrong password costs as much for every address, whatever is known of the hash', () => {
  // An attacker sends a text whose forms differ: an answer that comes sooner would tell that there is an account, or how
  // old its password is.
  let verified = 0;
  const restore: (() => void)[] = [];
  afterEach(() => restore.splice(0).forEach(undo => void undo()));

  test.each([
    ['one form', 'plain words', 1],
    ['two forms', nfc, 2],
    ['three forms', typed, 3],
  ])('%s', async (_, password, count) => {
    const { argon2: own } = await counting();
    const hasher = new PasswordHasher({ cost: cheapHash, argon2: own });
    await hasher.warmUp();
    const named = await hasher.rehash('another one');
    const unnamed = { ...named, passwordForm: null };
    for (const stored of [
      null,
      unnamed,
      named,
      named.hashedPassword,
      { hashedPassword: null, passwordForm: null },
    ]) {
      for (const check of ['verify', 'verifySignIn'] as const) {
        verified = 0;
        expect(await hasher[check](stored, password, randomUUID())).toBe(false);
        expect(verified).toBe(count);
      }
    }
  });

  async function counting() {
    const { portableArgon2 } = await import('../../src/crypto/schemes/argon2.ts');
    const verify: typeof portableArgon2.verify = (...args) => {
      verified++;
      return portableArgon2.verify(...args);
    };
    return { argon2: { ...portableArgon2, verify } };
  }
});
