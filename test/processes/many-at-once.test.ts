import bcrypt from 'bcrypt';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { User } from '../../src/tables/user.ts';
import type { Reply } from '../support/app.ts';
import { newPassword, password } from '../support/app.ts';
import { describeEachBackend } from '../support/backends.ts';
import { addressOf, baseUrl, type Oidc, startOidc } from '../support/oidc.ts';
import { type Pair, type PairRequest, startPair, tally } from '../support/pair.ts';
import { newAddress, newPhone, newSubject } from '../support/people.ts';
import { repetitions } from '../support/repetitions.ts';

const wrong = 'wrong horse battery';
/** How many requests are many at once: more than twice the lowest cap. */
const many = repetitions(48);

/** Where the answers of a callback send the browser: the error, or the parameter that says it worked. */
const ends = (replies: Reply[]) =>
  replies.map(({ headers }) => {
    const { searchParams } = new URL(headers.get('Location')!);
    return searchParams.get('error') ?? [...searchParams.keys()].join();
  });

let oidc: Oidc;
beforeAll(async () => {
  oidc = await startOidc();
});
afterAll(() => oidc?.close());

// Whatever one process would refuse, an attacker asks of two at the same moment.
describeEachBackend(
  'of many at once at two processes',
  backend => {
    let pair: Pair;
    beforeAll(async () => {
      pair = await startPair(backend, {
        SVC_BASE_URL: baseUrl,
        SVC_ENABLE_ADMIN_ROUTER: 'true',
        SVC_ENABLE_SMS_2FA: 'true',
        SVC_ENABLE_OAUTH: 'true',
        SVC_OAUTH__GOOGLE_CLIENT_ID: oidc.settings.googleClientId,
        SVC_OAUTH__GOOGLE_CLIENT_SECRET: oidc.settings.googleClientSecret,
        SVC_OAUTH__GOOGLE_ISSUER: oidc.settings.googleIssuer,
        SVC_RESEND_VERIFICATION_RATE_LIMIT: '20/hour',
      });
    });
    afterAll(() => pair?.close());

    const post = (path: string, body: object, options?: PairRequest) =>
      pair.rest('POST', path, body, options);
    const me = (token: string, options?: PairRequest) =>
      pair.rest('GET', '/me', undefined, { ...options, token });
    const login = (email: string, word = password, options?: PairRequest) =>
      post('/login', { email, password: word }, options);

    /** The session token of a new member, and who it is. */
    async function member(fields?: Partial<User>): Promise<User & { token: string }> {
      const user = await pair.addUser(newAddress(), fields);
      const { body } = await login(user.email);
      return { ...user, token: body.access_token };
    }

    /** The tokens of the links that were mailed to this address, once there are so many. */
    const mailedTo = (email: string, count = 1) =>
      pair.written(new RegExp(`^mail to ${email}: [^]*?token=(\\S+)$`, 'gm'), count);
    /** The codes that were texted to this phone. */
    const textedTo = (phone: string) =>
      pair.written(new RegExp(`^text message to \\${phone}: .* (\\d{6})$`, 'gm'));

    /** Somebody with a phone who has given the password, with the code that was texted. */
    async function atSecondStep() {
      const phone = newPhone();
      const user = await pair.addUser(newAddress(), { phoneNumber: phone, isMfaEnabled: true });
      const { body } = await login(user.email);
      return { user, pending: body.mfa_pending_token as string, code: (await textedTo(phone))[0]! };
    }

    test('many registrations of one address, one is pending', async () => {
      // Somebody registers an address over and over, to have many accounts of it, or many links to it.
      const email = newAddress();
      const replies = await pair.atOnce(many, (i, options) =>
        post('/register', { email, password: `password number ${i}` }, options),
      );
      expect(tally(replies)).toEqual({ 201: many });
      expect(await pair.repositories.pending.count(new Date(), email)).toBe(1);
      // Whichever was the last to be mailed works, and makes one user.
      const tokens = await mailedTo(email, 5);
      const uses = await pair.atOnce(many, (i, options) =>
        post('/verify', { token: tokens[i % 5], password }, options),
      );
      expect(tally(uses)).toEqual({ 200: 1, invalid_token: many - 1 });
    });

    test('two registrations of one address, neither password is in force', async () => {
      // A stranger registers an address at the moment at which its owner does, at the other process.
      const emails = Array.from({ length: many / 2 }, newAddress);
      const replies = await pair.atOnce(many, (i, options) =>
        post('/register', { email: emails[i >> 1], password: `password of number ${i % 2}` }, options),
      );
      expect(tally(replies)).toEqual({ 201: many });
      const rows = await Promise.all(emails.map(email => pair.repositories.pending.find(email)));
      expect(rows.filter(row => row?.isContested && row.hashedPassword === null)).toHaveLength(many / 2);
      const logins = await pair.atOnce(many / 2, (i, options) =>
        login(emails[i]!, 'password of number 0', options),
      );
      expect(tally(logins)).toEqual({ invalid_credentials: many / 2 });
    });

    test('a registration and the use of the link of another, one of the two is accepted', async () => {
      // The owner opens the mail of a stranger's registration while registering at the other process.
      const emails = Array.from({ length: many / 2 }, newAddress);
      const tokens: string[] = [];
      for (const email of emails) {
        await post('/register', { email, password: wrong });
        tokens.push((await mailedTo(email))[0]!);
      }
      const replies = await pair.atOnce(many, (i, options) =>
        i % 2 === Math.floor(i / 2) % 2
          ? post('/verify', { token: tokens[i >> 1] }, options)
          : post('/register', { email: emails[i >> 1], password }, options),
      );
      for (const [i, email] of emails.entries()) {
        const [verified, registered] = i % 2 === 0 ? [2 * i, 2 * i + 1] : [2 * i + 1, 2 * i];
        const codes = [verified, registered].map(at => Object.keys(tally([replies[at]!]))[0]!);
        const row = await pair.repositories.pending.find(email);
        if (codes[0] === '200') {
          expect(codes).toEqual(['200', 'email_taken']);
          expect(row).toBeNull();
        } else {
          expect(codes).toEqual([expect.stringMatching(/^(invalid_token|password_required)$/), '201']);
          expect(row).toMatchObject({ isContested: true, hashedPassword: null });
        }
      }
    });

    // Shows asvs/6.4.1.
    test('many uses of one verification link, one makes the user', async () => {
      const email = newAddress();
      await post('/register', { email, password });
      const [token] = await mailedTo(email);
      const replies = await pair.atOnce(many, (_, options) => post('/verify', { token }, options));
      expect(tally(replies)).toEqual({ 200: 1, invalid_token: many - 1 });
      expect((await login(email)).status).toBe(200);
    });

    test('many uses of one reset link, one sets its password', async () => {
      // Somebody who has read a mailbox races its owner.
      const { email } = await pair.addUser(newAddress());
      await post('/forgot-password', { email });
      const [token] = await mailedTo(email);
      const replies = await pair.atOnce(many, (i, options) =>
        post('/reset-password', { token, new_password: `password number ${i}` }, options),
      );
      expect(tally(replies)).toEqual({ 200: 1, invalid_token: many - 1 });
      const winner = replies.findIndex(({ status }) => status === 200);
      expect((await login(email, `password number ${winner}`)).status).toBe(200);
    });

    test('many uses of one address-change link, one moves the account', async () => {
      const { id, token: session } = await member();
      const email = newAddress();
      const change = { current_password: password, new_email: email };
      expect((await post('/change-email', change, { token: session })).status).toBe(202);
      const [token] = await mailedTo(email);
      const replies = await pair.atOnce(many, (_, options) =>
        post('/confirm-email-change', { token }, options),
      );
      expect(tally(replies)).toEqual({ 200: 1, invalid_token: many - 1 });
      expect(await pair.repositories.users.findByEmail(email)).toMatchObject({ id });
    });

    test('many confirmations of one address by two accounts, one account gets it', async () => {
      const email = newAddress();
      const change = { current_password: password, new_email: email };
      for (const { token } of [await member(), await member()]) {
        expect((await post('/change-email', change, { token })).status).toBe(202);
      }
      const tokens = await mailedTo(email, 2);
      const replies = await pair.atOnce(many, (i, options) =>
        post('/confirm-email-change', { token: tokens[Math.floor(i / 2) % 2] }, options),
      );
      const { 200: moved, ...refused } = tally(replies);
      expect(moved).toBe(1);
      expect(Object.keys(refused).every(code => ['email_taken', 'invalid_token'].includes(code))).toBe(true);
    });

    test('superusers who disable, demote and delete each other, at least one active is left', async () => {
      // Superusers who fell out, or one attacker with their sessions, lock everybody out of administration.
      const allowed = ['200', 'last_superuser', 'unauthenticated', 'forbidden', 'not_found', 'unavailable'];
      for (let round = 0; round < repetitions(12); round++) {
        const superusers = await Promise.all(Array.from({ length: 4 }, () => member({ isSuperuser: true })));
        const attacks = superusers.flatMap(by =>
          superusers.flatMap(({ id }) =>
            [
              (options: PairRequest) =>
                pair.rest('PATCH', `/admin/users/${id}`, { is_active: false }, options),
              (options: PairRequest) =>
                pair.rest('PATCH', `/admin/users/${id}`, { is_superuser: false }, options),
              (options: PairRequest) => pair.rest('DELETE', `/admin/users/${id}`, undefined, options),
            ].map(attack => (options: PairRequest) => attack({ ...options, token: by.token })),
          ),
        );
        const replies = await pair.atOnce(attacks.length, (i, options) => attacks[i]!(options));
        expect(await pair.repositories.users.countActiveSuperusers()).toBeGreaterThan(0);
        for (const kind of Object.keys(tally(replies))) expect(allowed).toContain(kind);
        await Promise.all(superusers.map(({ id }) => pair.repositories.users.remove(id)));
      }
    });

    // Shows asvs/6.3.1.
    test('many wrong passwords, as many are answered as the threshold, and then the right one is refused', async () => {
      const { email } = await pair.addUser(newAddress());
      const replies = await pair.atOnce(many, (i, options) => login(email, `${wrong} ${i}`, options));
      expect(tally(replies)).toEqual({ invalid_credentials: 5, account_locked: many - 5 });
      const both = await pair.atOnce(2, (_, options) => login(email, password, options));
      expect(tally(both)).toEqual({ account_locked: 2 });
    });

    test('many right passwords, none is refused; and a cutoff in their midst spares none that is older', async () => {
      const { email, id } = await pair.addUser(newAddress());
      const bystander = await member({ isSuperuser: true });
      const [replies] = await Promise.all([
        pair.atOnce(many, (_, options) => login(email, password, options)),
        post(`/admin/users/${id}/revoke-sessions`, {}, { token: bystander.token }),
      ]);
      expect(tally(replies)).toEqual({ 200: many });
      const cutoff = (await pair.repositories.users.find(id))!.tokensInvalidatedAfter!.getTime() / 1000;
      const tokens = replies.map(({ body }) => body.access_token as string);
      const checks = await pair.atOnce(many, (i, options) => me(tokens[i]!, options));
      expect(checks.map(({ status }) => status)).toEqual(
        tokens.map(token => (issuedAt(token) > cutoff ? 200 : 401)),
      );
      expect((await me(bystander.token)).status).toBe(200);
    });

    test('many wrong current passwords, as many are answered as the threshold', async () => {
      // Somebody at an unattended computer guesses the password of its session.
      const { token } = await member();
      const replies = await pair.atOnce(many, (i, options) =>
        pair.rest('DELETE', '/account', { current_password: `${wrong} ${i}` }, { ...options, token }),
      );
      expect(tally(replies)).toEqual({ wrong_password: 5, account_locked: many - 5 });
    });

    test('many wrong codes, no more are compared than the code allows', async () => {
      // An attacker with the password sends all guesses at the same time, before any is counted.
      const { user, pending: mfa_pending_token, code } = await atSecondStep();
      const others = Array.from({ length: many }, (_, i) =>
        String((Number(code) + i + 1) % 1_000_000).padStart(6, '0'),
      );
      const replies = await pair.atOnce(many, (i, options) =>
        post('/login/mfa-confirm', { mfa_pending_token, code: others[i] }, options),
      );
      const { mfa_code_wrong: compared = 0, ...refused } = tally(replies);
      expect(compared).toBeLessThanOrEqual(5);
      // Every guess that was compared is counted, whatever was answered.
      expect((await pair.repositories.attempts.list(`code:${user.id}`)).length).toBeLessThanOrEqual(5);
      for (const kind of Object.keys(refused))
        expect(['LOCKED', 'mfa_code_missing', 'account_locked']).toContain(kind);
      expect((await post('/login/mfa-confirm', { mfa_pending_token, code })).status).toBe(400);
    });

    // Shows asvs/6.5.1.
    test('many uses of one right code, one gives a session', async () => {
      // A code that was seen over a shoulder is sent at the same moment as its owner sends it.
      const { pending: mfa_pending_token, code } = await atSecondStep();
      const replies = await pair.atOnce(many, (_, options) =>
        post('/login/mfa-confirm', { mfa_pending_token, code }, options),
      );
      expect(tally(replies)[200]).toBe(1);
    });

    test('many logins with a phone, five text messages leave', async () => {
      // An attacker with the password floods the owner's phone.
      const phone = newPhone();
      const { email } = await pair.addUser(newAddress(), { phoneNumber: phone, isMfaEnabled: true });
      const replies = await pair.atOnce(many, (_, options) => login(email, password, options));
      expect(tally(replies)).toEqual({ 200: 5, rate_limited: many - 5 });
    });

    test('many set-ups of as many phones by one user, five text messages leave', async () => {
      // Somebody earns from messages to numbers that are dear to text to.
      const { token } = await member();
      const phones = Array.from({ length: many }, newPhone);
      const replies = await pair.atOnce(many, (i, options) =>
        post('/phone/start', { phone_number: phones[i], current_password: password }, { ...options, token }),
      );
      expect(tally(replies)).toEqual({ 202: 5, rate_limited: many - 5 });
    });

    test('many requests for a reset link, all are answered the same', async () => {
      const { email } = await pair.addUser(newAddress());
      const replies = await pair.atOnce(many, (_, options) => post('/forgot-password', { email }, options));
      expect(tally(replies)).toEqual({ 202: many });
      expect(new Set(replies.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    });

    test('44 requests beyond the limit of a route, as many are answered as by one process', async () => {
      const replies = await pair.atOnce(44, (_, options) =>
        post('/resend-verification', { email: newAddress() }, options),
      );
      expect(tally(replies)).toEqual({ 202: 20, rate_limited: 24 });
    });

    /** What the provider answers to a sign-in that one of the processes started. */
    async function atCallback(who: string): Promise<string> {
      const { headers } = await pair.rest('GET', '/oauth/google/start');
      return (await oidc.signInAt(headers.get('Location')!, who)).search;
    }
    const callBack = (search: string, options?: PairRequest) =>
      pair.rest('GET', `/oauth/google/callback${search}`, undefined, options);

    test('many callbacks of one state, one signs in; and of many exchanges of its id, one gives the session', async () => {
      // An attacker sends what the provider answered many times, to have more sessions than the owner knows of.
      const who = newSubject();
      const search = await atCallback(who);
      const callbacks = await pair.atOnce(many, (_, options) => callBack(search, options));
      expect(ends(callbacks).sort()).toEqual([...Array(many - 1).fill('bad_state'), 'id']);
      const good = callbacks.find(({ headers }) => headers.get('Location')!.includes('?id='))!;
      const id = new URL(good.headers.get('Location')!).searchParams.get('id');
      const exchanges = await pair.atOnce(many, (_, options) => post('/oauth/exchange', { id }, options));
      expect(tally(exchanges)).toEqual({ 200: 1, not_found: many - 1 });
      expect(await pair.repositories.users.findByEmail(addressOf(who))).not.toBeNull();
    });

    test('many first sign-ins of one person, all that succeed are of one account', async () => {
      const who = newSubject();
      const searches = await Promise.all(Array.from({ length: many }, () => atCallback(who)));
      const before = await pair.repositories.users.count({});
      const answers = await pair.atOnce(searches.length, (i, options) => callBack(searches[i]!, options));
      expect(ends(answers)).toContain('id');
      expect(await pair.repositories.users.count({})).toBe(before + 1);
    });

    test('many first sign-ins of an imported user, all get a session, and one new hash stays', async () => {
      const { id, email } = await pair.addUser(newAddress(), {
        hashedPassword: await bcrypt.hash(password, 4),
      });
      const hashOf = async () => (await pair.repositories.users.find(id))!.hashedPassword;
      const replies = await pair.atOnce(many, (_, options) => login(email, password, options));
      expect(tally(replies)).toEqual({ 200: many });
      for (const { body } of replies) expect((await me(body.access_token)).status).toBe(200);
      const own = await hashOf();
      expect(own).toMatch(/^\$argon2id\$/);
      expect((await login(email)).status).toBe(200);
      expect(await hashOf()).toBe(own);
    });

    test('first sign-ins of an imported user while the password is reset, the new one stays', async () => {
      const { email } = await pair.addUser(newAddress(), { hashedPassword: await bcrypt.hash(password, 4) });
      await post('/forgot-password', { email });
      const [token] = await mailedTo(email);
      const replies = await pair.atOnce(5, (i, options) =>
        i === 2
          ? post('/reset-password', { token, new_password: 'battery staple' }, options)
          : login(email, password, options),
      );
      expect(replies[2]!.status).toBe(200);
      for (const { body } of replies)
        if (body.access_token) expect((await me(body.access_token)).status).toBe(401);
      expect((await login(email, 'battery staple')).status).toBe(200);
      expect((await login(email, password)).status).toBe(401);
    });

    // Shows asvs/7.4.1.
    test('a session that one process ends is dead at the other in the same moment', async () => {
      // A thief goes on with a stolen token at the server that has not heard of the logout.
      const { email, ...first } = await member();
      const second = (await login(email)).body.access_token as string;
      const everywhere = () =>
        pair.atOnce(many, (i, options) => me(i % 4 < 2 ? first.token : second, options));
      expect(tally(await everywhere())).toEqual({ 200: many });
      expect((await pair.rest('POST', '/logout', undefined, { token: first.token, at: 0 })).status).toBe(200);
      expect(tally(await everywhere())).toEqual({ 200: many / 2, unauthenticated: many / 2 });
      const change = { current_password: password, new_password: newPassword };
      expect((await post('/change-password', change, { token: second, at: 1 })).status).toBe(200);
      expect(tally(await everywhere())).toEqual({ unauthenticated: many });
    });

    test('no address or phone got more messages than an hour allows, once both have ended', async () => {
      expect(await pair.stop()).toEqual([0, 0]);
      const counts = (pattern: RegExp) =>
        Map.groupBy([...pair.output().matchAll(pattern)], ([, to, what]) => `${to} ${what}`);
      const mails = counts(/^mail to (\S+): (.*)$/gm);
      const texts = counts(/^text message to (\S+):()/gm);
      for (const [to, { length }] of [...mails, ...texts]) expect(length, to).toBeLessThanOrEqual(5);
      const atTheCap = (of: typeof mails) => [...of.values()].filter(({ length }) => length === 5);
      expect([atTheCap(mails).length, atTheCap(texts).length]).toEqual([2, 1]);
    });
  },
  { only: ['sqlite', 'postgresql', 'mongodb'] },
);

/** When a token was issued, in seconds. */
const issuedAt = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()).iat as number;
