import { afterAll, beforeAll, expect, test } from 'vitest';
import type { UserPublic } from '../../src/contract/views/account.ts';
import type { Assembled } from '../../src/gatehouse.ts';
import { type App, startApp, tokenOf } from '../support/app.ts';
import { describeEachDriver } from '../support/backends.ts';
import { atEachMoment, interleave, Killed } from '../support/interleave.ts';
import { newAddress, nextToken, upTo } from '../support/people.ts';

const strangers = 'chosen by a stranger';
const owners = 'chosen by the owner';

/** The outcome of a call of the server API: its value, or the code that it was refused with. */
const outcomeOf = <T>(call: Promise<T>): Promise<T | string> => call.catch(({ code }) => code as string);

/** The account that a token is of. */
const subjectOf = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()).sub;

/** Somebody who is invited. */
type Invited = Pick<UserPublic, 'id' | 'email'>;

/** Two acts that meet, and what must hold afterwards. */
interface Pair {
  one: () => Promise<unknown>;
  other: () => Promise<unknown>;
  check: () => Promise<void>;
}

describeEachDriver('at the same moment', backend => {
  let app: App;
  /** Registration makes an account at once. */
  let open: App;
  beforeAll(async () => {
    app = await startApp({ backend });
    open = await startApp({ backend, settings: { requireVerification: false } });
  });
  afterAll(async () => {
    await app?.close();
    await open?.close();
  });

  const register = (at: App, email: string) => at.rest('POST', '/register', { email, password: strangers });
  const accept = async (at: App, token: string, password = owners) =>
    (await at.rest('POST', '/accept-invitation', { token, password })).status;
  const signIn = async (at: App, email: string, password: string) =>
    (await at.rest('POST', '/login', { email, password })).status;

  /** Runs both in every order in which one can come between two storage calls of the other. */
  async function inEveryOrder(at: App, make: () => Promise<Pair>) {
    for (const swap of [false, true]) {
      await atEachMoment(backend, async moment => {
        const { one, other, check } = await make();
        const calls = await interleave(at, swap ? other : one, { [moment]: swap ? one : other });
        // Without the other one, the act may end before this call.
        if (moment < calls) await check();
        return calls;
      });
    }
  }

  /** Nothing of the stranger's is in force, and there is one account, which is the owner's. */
  async function expectOwned(at: App, email: string, token: string) {
    for (const mail of at.mails.filter(({ to, text }) => to === email && /\/verify\?/.test(text))) {
      const { body } = await at.rest('POST', '/verify', { token: tokenOf(mail) });
      // Only a link that verifies the account itself does anything.
      expect(body.code).toBe('invalid_token');
    }
    expect(await accept(at, token)).toBe(200);
    expect(await signIn(at, email, strangers)).toBe(401);
    expect(await signIn(at, email, owners)).toBe(200);
    const { items } = await at.gatehouse.users.list({ search: email });
    expect(items).toMatchObject([{ email, isVerified: true }]);
    expect(await at.gatehouse.repositories.pending.find(email)).toBeNull();
  }

  test('an invitation and a registration of its address: the registration comes to nothing', async () => {
    await inEveryOrder(app, async () => {
      const email = newAddress();
      return {
        one: () => app.gatehouse.users.create({ email, invite: true }),
        other: () => register(app, email),
        check: async () => expectOwned(app, email, await invitationOf(email)),
      };
    });
  });

  /** The token of the invitation; the link of a registration may have left before it. */
  async function invitationOf(email: string): Promise<string> {
    for (;;) {
      const mail = await app.nextMail(email);
      if (/accept-invitation/.test(mail.text)) return tokenOf(mail);
    }
  }

  test('… and where registration makes an account at once: one of the two makes it', async () => {
    await inEveryOrder(open, async () => {
      const email = newAddress();
      let created: unknown;
      let registered = 0;
      return {
        async one() {
          created = await outcomeOf(open.gatehouse.users.create({ email, invite: true }));
        },
        async other() {
          registered = (await register(open, email)).status;
        },
        async check() {
          expect([registered === 201, typeof created === 'object'].filter(Boolean)).toHaveLength(1);
          if (registered === 201) {
            expect(created).toBe('email_taken');
            const { id } = (await open.gatehouse.users.findByEmail(email))!;
            await open.gatehouse.users.invite(id);
          }
          await expectOwned(open, email, await nextToken(open, email));
        },
      };
    });
  });

  test('an invitation and the link of a registration: one of the two makes the account', async () => {
    await inEveryOrder(app, async () => {
      const email = newAddress();
      await register(app, email);
      const token = await nextToken(app, email);
      let created: unknown;
      let verified = 0;
      return {
        async one() {
          created = await outcomeOf(app.gatehouse.users.create({ email, invite: true }));
        },
        async other() {
          verified = (await app.rest('POST', '/verify', { token })).status;
        },
        async check() {
          expect([verified === 200, typeof created === 'object'].filter(Boolean)).toHaveLength(1);
          expect((await app.gatehouse.users.list({ search: email })).total).toBe(1);
          if (verified !== 200) await expectOwned(app, email, await invitationOf(email));
        },
      };
    });
  });

  test('a registration that a stranger left pending is dropped, contested or not', async () => {
    for (const times of [1, 2]) {
      const email = newAddress();
      for (let i = 0; i < times; i++) await register(app, email);
      for (let i = 0; i < times; i++) await app.nextMail(email);
      await app.gatehouse.users.create({ email, invite: true });
      await expectOwned(app, email, tokenOf(await app.nextMail(email)));
    }
  });

  test('many creations and registrations of one address make one account', async () => {
    const email = newAddress();
    const outcomes = await Promise.all(
      upTo(16).map(i =>
        i % 2 === 0
          ? outcomeOf(open.gatehouse.users.create({ email, password: owners })).then(
              o => typeof o === 'object',
            )
          : register(open, email).then(({ status }) => status === 201),
      ),
    );
    expect(outcomes.filter(Boolean)).toHaveLength(1);
    expect((await open.gatehouse.users.list({ search: email })).total).toBe(1);
  });

  test('of many uses of an invitation, or of several invitations, exactly one succeeds', async () => {
    for (const links of [1, 3]) {
      const { id, email } = await app.gatehouse.users.create({ email: newAddress(), invite: true });
      for (let i = 1; i < links; i++) await app.gatehouse.users.invite(id);
      const tokens: string[] = [];
      for (let i = 0; i < links; i++) tokens.push(await nextToken(app, email));
      const passwords = upTo(18).map(i => `password number ${i}`);
      const statuses = await Promise.all(passwords.map((each, i) => accept(app, tokens[i % links]!, each)));
      expect(statuses.filter(status => status === 200)).toHaveLength(1);
      expect(new Set(statuses)).toEqual(new Set([200, 400]));
      expect(await signIn(app, email, passwords[statuses.indexOf(200)]!)).toBe(200);
    }
  });

  /** Accepts an invitation while something else is done to its account, in every order. */
  async function whileAccepting(
    act: (user: Invited) => Promise<() => Promise<unknown>>,
    check: (user: Invited, accepted: number) => Promise<void>,
  ) {
    await inEveryOrder(app, async () => {
      const user = await app.gatehouse.users.create({ email: newAddress(), invite: true });
      const token = await nextToken(app, user.email);
      let accepted = 0;
      return {
        async one() {
          accepted = await accept(app, token);
        },
        other: await act(user),
        async check() {
          expect(await accept(app, token, strangers)).toBe(400);
          await check(user, accepted);
        },
      };
    });
  }

  test('accepted and disabled: the account is disabled, and has no session', async () => {
    await whileAccepting(
      async ({ id }) =>
        () =>
          app.gatehouse.users.disable(id),
      async ({ id, email }, accepted) => {
        expect(await app.gatehouse.users.find(id)).toMatchObject({ isActive: false });
        expect(await signIn(app, email, owners)).toBeOneOf(accepted === 200 ? [403] : [401, 403]);
      },
    );
  });

  test('accepted and removed: the account is gone', async () => {
    await whileAccepting(
      async ({ id }) =>
        () =>
          app.gatehouse.users.remove(id),
      async ({ id, email }) => {
        expect(await app.gatehouse.users.find(id)).toBeNull();
        expect(await app.gatehouse.users.findByEmail(email)).toBeNull();
        expect(await signIn(app, email, owners)).toBe(401);
      },
    );
  });

  test('accepted and reset: one of the two sets the password', async () => {
    const byReset = 'chosen by a reset';
    let reset = 0;
    await whileAccepting(
      async ({ email }) => {
        await app.rest('POST', '/forgot-password', { email });
        const token = await nextToken(app, email);
        return async () => {
          reset = (await app.rest('POST', '/reset-password', { token, new_password: byReset })).status;
        };
      },
      async ({ email }, accepted) => {
        expect([accepted, reset].toSorted()).toEqual([200, 400]);
        expect(await signIn(app, email, accepted === 200 ? owners : byReset)).toBe(200);
        expect(await signIn(app, email, accepted === 200 ? byReset : owners)).toBe(401);
      },
    );
  });

  /** Runs the act once whole, and then with a stop at each of its storage calls; `check` looks at what is left. */
  async function stopped(make: () => Promise<{ act: () => Promise<unknown>; check: () => Promise<void> }>) {
    const whole = await make();
    expect(await interleave(app, whole.act, {})).toBeGreaterThan(1);
    const kill = () => Promise.reject(new Killed());
    await atEachMoment(backend, async at => {
      const { act, check } = await make();
      const calls = await interleave(app, () => act().catch(() => {}), { [at]: kill });
      if (at < calls) await check();
      return calls;
    });
  }

  test('a creation that stops is made as a whole by a repeated request', async () => {
    await stopped(async () => {
      const email = newAddress();
      await register(app, email);
      return {
        act: () => app.gatehouse.users.create({ email, invite: true }),
        async check() {
          app.clock.advance(10_000);
          const again = await outcomeOf(app.gatehouse.users.create({ email, invite: true }));
          // Its invitation was sent before the stop.
          if (typeof again === 'string') expect(again).toBe('email_taken');
          const { id } = (await app.gatehouse.users.findByEmail(email))!;
          let token = await invitationOf(email);
          // The link of an account that was made anew is void.
          while (subjectOf(token) !== id) token = await invitationOf(email);
          await expectOwned(app, email, token);
        },
      };
    });
  });

  /** Notes that an account is being made, as a creation that stops leaves it. */
  const leaveNote = (id: string) => app.gatehouse.repositories.challenges.noteCreation(id, app.clock.now());

  test.each<[string, (user: Invited) => Promise<unknown>]>([
    [
      'its owner has accepted the invitation',
      async ({ email }) => expect(await accept(app, await nextToken(app, email))).toBe(200),
    ],
    ['it was given a name', ({ id }) => app.gatehouse.users.update(id, { fullName: 'Ada' })],
    ['it was disabled', ({ id }) => app.gatehouse.users.disable(id)],
    ['its sessions were ended', ({ id }) => app.gatehouse.users.endSessions(id)],
    [
      'it was promoted in the database',
      ({ id }) => app.gatehouse.repositories.users.change(id, { set: { isSuperuser: true } }),
    ],
    ['a day has passed', async () => app.clock.advance(86_400_000)],
  ])('a creation that stopped is not repeated after %s', async (_, act) => {
    const user = await app.gatehouse.users.create({ email: newAddress(), invite: true });
    await leaveNote(user.id);
    app.clock.advance(10_000);
    await act(user);
    const kept = await app.gatehouse.users.find(user.id);
    expect(await outcomeOf(app.gatehouse.users.create({ email: user.email }))).toBe('email_taken');
    expect(await app.gatehouse.users.find(user.id)).toEqual(kept);
  });

  test('a creation that is repeated, and a sign-in: the session is not lost', async () => {
    await inEveryOrder(app, async () => {
      const input = { email: newAddress(), password: owners, isVerified: true };
      await leaveNote((await app.gatehouse.users.create(input)).id);
      app.clock.advance(10_000);
      let signedIn: Awaited<ReturnType<App['rest']>>;
      return {
        one: () => outcomeOf(app.gatehouse.users.create(input)),
        async other() {
          signedIn = await app.rest('POST', '/login', { email: input.email, password: owners });
        },
        async check() {
          const { status, body } = signedIn;
          if (status !== 200) return expect(status).toBe(401);
          const me = await app.rest('GET', '/me', undefined, { token: body.access_token });
          expect(me.status).toBe(200);
        },
      };
    });
  });

  test('an acceptance that stops is completed by another invitation', async () => {
    await stopped(async () => {
      const { id, email } = await app.gatehouse.users.create({ email: newAddress(), invite: true });
      const token = await nextToken(app, email);
      return {
        act: () => accept(app, token),
        async check() {
          const { isVerified } = (await app.gatehouse.users.find(id))!;
          if (isVerified) return expect(await signIn(app, email, owners)).toBe(200);
          await app.gatehouse.users.invite(id);
          expect(await accept(app, await nextToken(app, email))).toBe(200);
          expect(await signIn(app, email, owners)).toBe(200);
        },
      };
    });
  });

  test('issued and disabled: the session is dead, or there is none', async () => {
    await inEveryOrder(app, async () => {
      const { id } = await app.gatehouse.users.create({ email: newAddress(), isVerified: true });
      let issued: unknown;
      return {
        async one() {
          issued = await outcomeOf(app.gatehouse.sessions.issue(id, { method: 'saml' }));
        },
        other: () => app.gatehouse.users.disable(id),
        async check() {
          const { accessToken: token } = issued as { accessToken?: string };
          if (token === undefined) expect(issued).toBe('account_disabled');
          else expect((await app.rest('GET', '/me', undefined, { token })).status).toBe(401);
        },
      };
    });
  });

  const moves = {
    async 'by the host'({ id }: Invited) {
      return () => app.gatehouse.users.changeEmail(id, { email: newAddress() });
    },
    async 'by its owner'({ email }: Invited) {
      const { body } = await app.rest('POST', '/login', { email, password: owners });
      const new_email = newAddress();
      const change = { new_email, current_password: owners };
      await app.rest('POST', '/change-email', change, { token: body.access_token });
      const token = await nextToken(app, new_email);
      return () => app.rest('POST', '/confirm-email-change', { token });
    },
  };
  const casesOfMoves = Object.entries(moves).flatMap(([how, move]) =>
    [false, true].map(left => ({ how, move, left })),
  );

  test.each(casesOfMoves)(
    'moved $how, and its former address registered: who registers is not lost (left behind: $left)',
    async ({ move, left }) => {
      await inEveryOrder(app, async () => {
        const email = newAddress();
        const { pending } = app.gatehouse.repositories;
        await register(app, email);
        const row = await pending.find(email);
        const dead = await nextToken(app, email);
        const user = await app.gatehouse.users.create({ email, password: owners, isVerified: true });
        const one = await move(user);
        if (left) await pending.add(row!);
        let status = 0;
        return {
          one,
          async other() {
            status = (await register(app, email)).status;
          },
          async check() {
            expect(await app.gatehouse.users.findByEmail(email)).toBeNull();
            if (status === 201) {
              const token = await nextToken(app, email);
              const { body } = await app.rest('POST', '/verify', { token, password: owners });
              expect(body).toMatchObject({ email, is_verified: true });
            } else {
              expect(status).toBe(409);
              expect(await pending.find(email)).toBeNull();
            }
            expect((await app.rest('POST', '/verify', { token: dead })).body.code).toBe('invalid_token');
          },
        };
      });
    },
  );

  test.each<[string, (user: Invited) => Promise<unknown>]>([
    ['moved', ({ id }) => app.gatehouse.users.changeEmail(id, { email: newAddress() })],
    ['removed', ({ id }) => app.gatehouse.users.remove(id)],
  ])('a link sent again, and %s and registered: who registers is not lost', async (_, leave) => {
    await inEveryOrder(app, async () => {
      const user = await app.gatehouse.users.create({ email: newAddress() });
      const { email } = user;
      const { operator } = app.gatehouse as Assembled;
      return {
        one: () => outcomeOf(operator.resendVerification({ id: user.id })),
        async other() {
          await leave(user);
          expect((await register(app, email)).status).toBe(201);
        },
        async check() {
          const row = await app.gatehouse.repositories.pending.find(email);
          expect(row).toMatchObject({ userId: null });
        },
      };
    });
  });

  test.each([false, true])(
    'removed and registered: who registers is not lost (left behind: %s)',
    async left => {
      await inEveryOrder(app, async () => {
        const email = newAddress();
        const { pending } = app.gatehouse.repositories;
        await register(app, email);
        const row = await pending.find(email);
        const dead = await nextToken(app, email);
        const { id } = await app.gatehouse.users.create({ email });
        // As a stop in the middle of a verification leaves it.
        if (left) await pending.add(row!);
        let status = 0;
        return {
          one: () => app.gatehouse.users.remove(id),
          async other() {
            status = (await register(app, email)).status;
          },
          async check() {
            if (status === 201) {
              const token = await nextToken(app, email);
              const { body } = await app.rest('POST', '/verify', { token, password: owners });
              expect(body).toMatchObject({ email, is_verified: true });
              expect(await signIn(app, email, strangers)).toBe(401);
            } else {
              expect(status).toBe(409);
              expect(await pending.find(email)).toBeNull();
            }
            expect((await app.rest('POST', '/verify', { token: dead })).body.code).toBe('invalid_token');
          },
        };
      });
    },
  );
});
