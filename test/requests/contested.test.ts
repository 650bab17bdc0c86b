import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { GatehouseError } from '../../src/errors.ts';
import { type App, type Reply, startApp, tokenOf } from '../support/app.ts';
import { describeEachKind } from '../support/backends.ts';
import { newAddress, signUpSuperuser } from '../support/people.ts';

const owners = 'the owner chose this one';
const strangers = 'a stranger chose this one';
const codeOf = ({ status, body }: Reply) => (status < 400 ? status : body.code);

describeEachKind('registrations of one address in parallel', backend => {
  let app: App;
  /** One mail an hour, so that the second registration is held back. */
  let capped: App;
  beforeAll(async () => {
    app = await startApp({ backend, settings: { enableAdminRouter: true } });
    capped = await startApp({ backend, settings: { mailsPerAddressPerHour: 1 } });
  });
  afterEach(() => vi.restoreAllMocks());
  afterAll(async () => {
    await app?.close();
    await capped?.close();
  });

  const register = (email: string, password: string, at = app) =>
    at.rest('POST', '/register', { email, password });
  const verify = (token: string, password?: string, at = app) =>
    at.rest('POST', '/verify', { token, password });
  const login = (email: string, password: string, at = app) => at.rest('POST', '/login', { email, password });

  async function registered(email: string, password: string, at = app): Promise<string> {
    expect((await register(email, password, at)).status).toBe(201);
    return tokenOf(await at.nextMail(email));
  }

  /** Does something right before the next call of a repository's method, as if it came from another request. */
  function justBefore<K extends 'pending' | 'users'>(
    repository: K,
    method: keyof App['gatehouse']['repositories'][K] & string,
    meanwhile: () => Promise<unknown>,
    at = app,
  ): void {
    // biome-ignore lint/suspicious/noExplicitAny: any method of either repository
    const target = at.gatehouse.repositories[repository] as any;
    const original = target[method];
    vi.spyOn(target, method).mockImplementationOnce(async (...args: unknown[]) => {
      vi.restoreAllMocks();
      await meanwhile();
      return original(...args);
    });
  }

  const isContested = async (email: string, at = app) => {
    const row = await at.gatehouse.repositories.pending.find(email);
    return row && { isContested: row.isContested, hasPassword: row.hashedPassword !== null };
  };
  const contested = { isContested: true, hasPassword: false };

  test('leave no password in force, whichever comes first', async () => {
    // A stranger registers an address at the same moment as its owner, again and again.
    const emails = Array.from({ length: 8 }, newAddress);
    const replies = await Promise.all(
      emails.flatMap(email => [register(email, strangers), register(email, owners)]),
    );
    expect(new Set(replies.map(codeOf))).toEqual(new Set([201]));
    for (const email of emails) {
      expect(await isContested(email)).toEqual(contested);
      const codes = [codeOf(await login(email, strangers)), codeOf(await login(email, owners))];
      expect(codes).toEqual(['invalid_credentials', 'invalid_credentials']);
    }
  });

  test('are contested when both have looked for the other before either is stored', async () => {
    const email = newAddress();
    justBefore('pending', 'add', () => register(email, owners));
    expect((await register(email, strangers)).status).toBe(201);
    expect(await isContested(email)).toEqual(contested);
  });

  test('are contested when the cap holds one back while the other is about to be stored', async () => {
    // The stranger takes the last mail of the hour; the owner registers before the stranger's row is there.
    const email = newAddress();
    justBefore('pending', 'contest', () => register(email, owners, capped), capped);
    const token = await registered(email, strangers, capped);
    expect(await isContested(email, capped)).toEqual(contested);
    expect(codeOf(await verify(token, undefined, capped))).toBe('password_required');
    expect((await verify(token, owners, capped)).status).toBe(200);
    expect(codeOf(await login(email, strangers, capped))).toBe('invalid_credentials');
    expect(codeOf(await login(email, owners, capped))).toBe(200);
  });

  test('are contested when many are held back by the cap at once, and the link stays good', async () => {
    const email = newAddress();
    const token = await registered(email, strangers, capped);
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, i) => register(email, `${owners} ${i}`, capped)),
    );
    expect(new Set(replies.map(codeOf))).toEqual(new Set([201]));
    expect(await isContested(email, capped)).toEqual(contested);
    expect((await verify(token, owners, capped)).status).toBe(200);
    expect(capped.mails.filter(({ to }) => to === email)).toHaveLength(1);
  });

  test('of which one is held back while nothing waits, wait for a link that is asked for later', async () => {
    const email = newAddress();
    const token = await registered(email, strangers, capped);
    expect((await verify(token, undefined, capped)).status).toBe(200);
    const { users } = capped.gatehouse.repositories;
    await users.remove((await users.findByEmail(email))!.id);
    expect((await register(email, owners, capped)).status).toBe(201);
    capped.clock.advance(3_600_000);
    await capped.rest('POST', '/resend-verification', { email });
    const later = tokenOf(await capped.nextMail(email));
    expect((await verify(later, undefined, capped)).status).toBe(200);
    expect(codeOf(await login(email, owners, capped))).toBe(200);
  });

  describe('with the use of a link', () => {
    test('end in one of two ways: the address is verified, or it is contested', async () => {
      // The owner opens the mail of a stranger's registration while registering himself.
      const emails = Array.from({ length: 12 }, newAddress);
      const tokens = await Promise.all(emails.map(email => registered(email, strangers)));
      const outcomes = await Promise.all(
        emails.map((email, i) => Promise.all([verify(tokens[i]!), register(email, owners)])),
      );
      for (const [i, [verified, second]] of outcomes.entries()) {
        const email = emails[i]!;
        const codes = [codeOf(verified), codeOf(second)];
        const user = await app.gatehouse.repositories.users.findByEmail(email);
        if (codes[0] === 200) {
          expect(codes).toEqual([200, 'email_taken']);
          expect(await isContested(email)).toBeNull();
        } else {
          expect(codes).toEqual([expect.stringMatching(/^(invalid_token|password_required)$/), 201]);
          expect(user).toBeNull();
          expect(await isContested(email)).toEqual(contested);
        }
      }
    });

    test('that comes just before it is claimed, need a password', async () => {
      const email = newAddress();
      const token = await registered(email, strangers, capped);
      justBefore('pending', 'claim', () => register(email, owners, capped), capped);
      expect(codeOf(await verify(token, undefined, capped))).toBe('password_required');
      expect(await isContested(email, capped)).toEqual(contested);
      expect((await verify(token, owners, capped)).status).toBe(200);
      expect(codeOf(await login(email, strangers, capped))).toBe('invalid_credentials');
    });

    test('that comes after it was claimed, are refused, and so is one that the cap would hold back', async () => {
      for (const at of [app, capped]) {
        const email = newAddress();
        const token = await registered(email, strangers, at);
        const codes: unknown[] = [];
        justBefore('users', 'add', async () => codes.push(codeOf(await register(email, owners, at))), at);
        expect((await verify(token, undefined, at)).status).toBe(200);
        expect(codes).toEqual(['email_taken']);
        expect(await isContested(email, at)).toBeNull();
      }
    });

    test('that has ended before the new one is stored, are refused, and leave nothing', async () => {
      const email = newAddress();
      const token = await registered(email, strangers);
      justBefore('pending', 'contest', () => verify(token));
      expect(codeOf(await register(email, owners))).toBe('email_taken');
      expect(await isContested(email)).toBeNull();
      expect(codeOf(await login(email, strangers))).toBe(200);
    });

    test('that was stopped between its claim and its user, are refused, and the link still works', async () => {
      // The process is killed, or the database is lost, while the user is made.
      const email = newAddress();
      const token = await registered(email, strangers);
      const lost = new GatehouseError('unavailable');
      vi.spyOn(app.gatehouse.repositories.users, 'add').mockRejectedValueOnce(lost);
      expect((await verify(token)).status).toBe(503);
      expect(codeOf(await register(email, owners))).toBe('email_taken');
      expect((await verify(token)).status).toBe(200);
      expect(codeOf(await login(email, strangers))).toBe(200);
    });
  });

  test('with a promotion make an account without a password', async () => {
    // The stranger registers again at the moment at which the administrator promotes the owner's registration.
    const root = await signUpSuperuser(app);
    const email = newAddress();
    await registered(email, owners);
    justBefore('pending', 'claim', () => register(email, strangers));
    const path = `/admin/pending/${encodeURIComponent(email)}/promote`;
    expect((await app.rest('POST', path, undefined, { token: root.token })).status).toBe(200);
    const user = await app.gatehouse.repositories.users.findByEmail(email);
    expect(user).toMatchObject({ isVerified: true, hashedPassword: null });
  });

  test('40 uses of the link of a contested one, one chooses the password', async () => {
    const email = newAddress();
    await registered(email, strangers);
    const token = await registered(email, owners);
    const replies = await Promise.all(Array.from({ length: 40 }, (_, i) => verify(token, `${owners} ${i}`)));
    const winners = replies.flatMap(({ status }, i) => (status === 200 ? [i] : []));
    expect(winners).toHaveLength(1);
    expect(new Set(replies.map(codeOf))).toEqual(new Set([200, 'invalid_token']));
    expect(codeOf(await login(email, `${owners} ${winners[0]}`))).toBe(200);
  });
});
