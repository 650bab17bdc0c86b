import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Assembled } from '../../src/gatehouse.ts';
import { type App, logIn, newPassword, type Reply, signUp, startApp } from '../support/app.ts';
import { describeEachDriver } from '../support/backends.ts';
import { atEachMoment, interleave, Killed } from '../support/interleave.ts';
import { codeIn, isAlive, newPhone, upTo } from '../support/people.ts';
import { type Enrolled, stepMs, totpOf, totpSettings } from '../support/totp.ts';

const kill = () => Promise.reject(new Killed());

describeEachDriver('second factors', backend => {
  let app: App;
  let totp: ReturnType<typeof totpOf>;
  beforeAll(async () => {
    const policy = { mfaRequired: 'superusers', enableAdminRouter: true } as const;
    app = await startApp({ backend, settings: { ...totpSettings, ...policy, enableSms2fa: true } });
    totp = totpOf(app);
  });
  afterAll(() => app?.close());

  /** Somebody with an app, and perhaps a phone, in a session of two factors. */
  async function someone({ phone = false, isSuperuser = false } = {}): Promise<Enrolled> {
    const member = await totp.enrolled();
    if (phone) await totp.setUpPhone(member);
    if (isSuperuser) await app.gatehouse.repositories.users.change(member.id, { set: { isSuperuser } });
    return { ...member, token: await totp.signIn(member) };
  }

  type Act = (of: Enrolled) => Promise<() => Promise<Reply>>;
  /** What an owner does with factors; each is prepared, and then it is one request. */
  const acts = {
    async 'adds an app'(of) {
      const { id, secret } = await totp.start(of);
      return () => totp.post('/totp/confirm', { id, code: totp.code(secret) }, of);
    },
    'removes the app': async of => () => totp.remove(of.authenticatorId, of.token),
    async 'adds a phone'(of) {
      const phone_number = newPhone();
      const start = { phone_number, current_password: of.password };
      const { body } = await totp.post('/phone/start', start, of);
      const confirm = { pending_token: body.pending_token, code: codeIn(await app.nextText(phone_number)) };
      return () => totp.post('/phone/confirm', confirm, of);
    },
    'removes the phone': async of => () =>
      app.rest('DELETE', '/phone', { current_password: of.password }, { token: of.token }),
    'replaces the codes': async of => () => totp.post('/recovery-codes', {}, of),
  } satisfies Record<string, Act>;
  const names = Object.keys(acts) as (keyof typeof acts)[];

  /** The second step is on exactly while there is a phone or an app, and there are codes only beside an authenticator. */
  async function expectConsistent(of: { id: string }): Promise<void> {
    const user = await totp.user(of);
    const rows = await totp.stored(of);
    expect(user.isMfaEnabled).toBe(user.phoneNumber !== null || rows.length > 0);
    if (rows.length === 0) expect(await totp.codesLeft(of)).toBeNull();
  }

  describe.each(names)('while the owner %s', outer => {
    // Every pair in memory; on the other databases each act meets itself, where its conditional writes decide.
    const inners = backend.name === 'sqlite' ? names : [outer];
    test.each(inners)('and also %s, agree at whatever moment the two meet', async inner => {
      await atEachMoment(backend, async at => {
        const of = await someone({ phone: true });
        const first = await acts[outer](of);
        const second = await acts[inner](of);
        const calls = await interleave(app, first, { [at]: second });
        await expectConsistent(of);
        return calls;
      });
    });
  });

  test.each<['removes the app' | 'removes the phone', 'removes the app' | 'removes the phone']>([
    ['removes the app', 'removes the phone'],
    ['removes the phone', 'removes the app'],
  ])('of an account that must have one, one is left when the owner %s and %s', async (outer, inner) => {
    await atEachMoment(backend, async at => {
      const of = await someone({ phone: true, isSuperuser: true });
      const replies: Reply[] = [];
      const first = await acts[outer](of);
      const second = await acts[inner](of);
      const calls = await interleave(app, async () => replies.push(await first()), {
        [at]: async () => replies.push(await second()),
      });
      for (const { status, body } of replies) if (status !== 200) expect(body.code).toBe('last_factor');
      const { phoneNumber } = await totp.user(of);
      expect(phoneNumber !== null || (await totp.stored(of)).length > 0).toBe(true);
      await expectConsistent(of);
      return calls;
    });
  });

  test('of an account that must have one, one app of two is left, with its codes', async () => {
    await atEachMoment(backend, async at => {
      const of = await someone({ isSuperuser: true });
      const { authenticatorId } = await totp.setUp(of);
      const replies: Reply[] = [];
      const remove = (id: string) => async () => replies.push(await totp.remove(id, of.token));
      const calls = await interleave(app, remove(of.authenticatorId), { [at]: remove(authenticatorId) });
      for (const { status, body } of replies) if (status !== 200) expect(body.code).toBe('last_factor');
      expect((await totp.stored(of)).length).toBeGreaterThan(0);
      await expectConsistent(of);
      expect(await totp.codesLeft(of)).toBe(10);
      return calls;
    });
  });

  describe('a set-up that is confirmed', () => {
    async function settingUp() {
      const member = await signUp(app);
      const other = await logIn(app, member);
      const { id, secret } = await totp.start(member);
      const confirm = (more: object = {}) =>
        totp.post('/totp/confirm', { id, code: totp.code(secret), ...more }, member);
      return { ...member, other, secret, confirm };
    }
    type SettingUp = Awaited<ReturnType<typeof settingUp>>;

    const ends: [string, (of: SettingUp) => Promise<Pick<Reply, 'status'>>][] = [
      ['is logged out', of => app.rest('POST', '/logout', {}, { token: of.token })],
      [
        'is logged out everywhere',
        of => app.rest('POST', '/logout', { everywhere: true }, { token: of.other }),
      ],
      [
        'is cut off by a new password',
        of => {
          const change = { current_password: of.password, new_password: newPassword };
          return app.rest('POST', '/change-password', change, { token: of.other });
        },
      ],
      [
        'is disabled',
        async ({ id }) => {
          const changed = await app.gatehouse.repositories.users.change(id, { set: { isActive: false } });
          return { status: changed ? 200 : 404 };
        },
      ],
      [
        'is deleted',
        ({ other, password }) =>
          app.rest('DELETE', '/account', { current_password: password }, { token: other }),
      ],
    ];

    test.each(ends)('leaves nothing when its session %s first, at whatever moment', async (_, end) => {
      await atEachMoment(backend, async at => {
        const of = await settingUp();
        let reply: Reply | undefined;
        const confirm = async () => (reply = await of.confirm());
        const calls = await interleave(app, confirm, { [at]: () => end(of) });
        const rows = await totp.stored(of);
        if (reply!.status === 200) return calls;
        expect(reply!.status).toBe(reply!.body.code === 'not_found' ? 404 : 401);
        expect(rows).toEqual([]);
        expect(await totp.codesLeft(of)).toBeNull();
        const user = await app.gatehouse.repositories.users.find(of.id);
        if (user) expect(user).toMatchObject({ isMfaEnabled: false });
        expect(at === 0 ? reply!.status : 401).toBe(401);
        return calls;
      });
    });

    test.each(ends)('gives no session in place of one that %s', async (_, end) => {
      await atEachMoment(backend, async at => {
        const of = await settingUp();
        let reply: Reply | undefined;
        let ended: Pick<Reply, 'status'> | undefined;
        const confirm = async () => {
          reply = await of.confirm({ end_other_sessions: true });
        };
        const meanwhile = async () => {
          ended = await end(of);
        };
        const calls = await interleave(app, confirm, { [at]: meanwhile });
        // The new session ends the earlier ones, which can end nothing any more.
        const session = reply!.body.session?.access_token as string | undefined;
        if (ended?.status === 200 && session !== undefined) expect(await isAlive(app, session)).toBe(false);
        if (at === 0) expect(session).toBeUndefined();
        expect(await isAlive(app, of.token)).toBe(false);
        return calls;
      });
    });

    test('is safe wherever its process is killed: the next sign-in asks for what is there', async () => {
      await atEachMoment(backend, async at => {
        const of = await settingUp();
        const calls = await interleave(app, () => of.confirm().catch(() => {}), { [at]: kill });
        if (at >= calls) return calls;
        app.clock.advance(stepMs);
        const { body } = await totp.post('/login', { email: of.email, password: of.password });
        const rows = await totp.stored(of);
        expect(body).toMatchObject(rows.length > 0 ? { status: 'mfa_required' } : { token_type: 'bearer' });
        if (rows.length === 0) await expectConsistent(of);
        else expect((await totp.second(body.mfa_pending_token, totp.code(of.secret))).status).toBe(200);
        return calls;
      });
    });
  });

  test.each<[string, (of: Enrolled) => Promise<unknown>]>([
    ['its owner removes', of => totp.remove(of.authenticatorId, of.token)],
    ['administration removes', of => (app.gatehouse as Assembled).operator.disableMfa({ id: of.id })],
  ])('codes that were just shown are good, at whatever moment %s the former last app', async (_, remove) => {
    const meet = async (at: number) => {
      const of = await someone();
      const { id, secret } = await totp.start(of);
      let shown: string[] | undefined;
      const calls = await interleave(app, () => remove(of), {
        [at]: async () => {
          const { body } = await totp.post('/totp/confirm', { id, code: totp.code(secret) }, of);
          shown = body.recovery_codes;
        },
      });
      await expectConsistent(of);
      if (shown && (await totp.stored(of)).length > 0) expect(await totp.codesLeft(of)).toBe(10);
      return calls;
    };
    // Every moment: they meet only between the last look of the removal and its last deletion.
    const calls = await meet(Number.POSITIVE_INFINITY);
    for (let at = 0; at < calls; at++) await meet(at);
  });

  test('a removal is safe wherever its process is killed: no former code is good beside a new app', async () => {
    await atEachMoment(backend, async at => {
      const of = await someone();
      const remove = () =>
        totp.remove(of.authenticatorId, of.token).then(
          () => {},
          () => {},
        );
      const calls = await interleave(app, remove, { [at]: kill });
      if (at >= calls) return calls;
      app.clock.advance(stepMs);
      const { body } = await totp.post('/login', { email: of.email, password: of.password });
      if ((await totp.stored(of)).length > 0) {
        expect(body.status).toBe('mfa_required');
        return calls;
      }
      expect(await totp.user(of)).toMatchObject({ isMfaEnabled: false });
      const fresh = await totp.setUp({ token: body.access_token });
      expect(fresh.recoveryCodes).toHaveLength(10);
      const pending = await totp.pending(of);
      expect((await totp.second(pending, of.recoveryCodes[0]!, 'recovery_code')).status).toBe(400);
      return calls;
    });
  });

  test('a sign-in that a set-up overtakes is asked for its second step', async () => {
    await atEachMoment(backend, async at => {
      const member = await signUp(app);
      const { id, secret } = await totp.start(member);
      app.clock.advance(1000);
      const before = (await totp.user(member)).lastLogin;
      let isIssued = false;
      let reply: Reply | undefined;
      const { email, password } = member;
      const login = async () => (reply = await totp.post('/login', { email, password }));
      const setUp = async () => {
        isIssued = (await totp.user(member)).lastLogin?.getTime() !== before?.getTime();
        const { status } = await totp.post('/totp/confirm', { id, code: totp.code(secret) }, member);
        expect(status).toBe(200);
      };
      const calls = await interleave(app, login, { [at]: setUp });
      if (at < calls) {
        expect(reply!.status).toBe(200);
        if (!isIssued) expect(reply!.body.status).toBe('mfa_required');
      }
      return calls;
    });
  });

  describe('a second step that was begun', () => {
    const ends: [string, (of: Enrolled) => Promise<unknown>][] = [
      ['disabled', ({ id }) => app.gatehouse.repositories.users.change(id, { set: { isActive: false } })],
      ['cut off', ({ id }) => app.gatehouse.repositories.users.change(id, { cutOffAt: app.clock.now() })],
      ['deleted', ({ id }) => app.gatehouse.repositories.users.remove(id)],
    ];
    const methods = ['totp', 'recovery_code', 'sms'] as const;
    const cases = ends.flatMap(([name, end]) => methods.map(method => [name, method, end] as const));

    test.each(cases)(
      'is not finished by an account that was %s, with %s, at whatever moment',
      async (_, method, end) => {
        await atEachMoment(backend, async at => {
          const of = await totp.enrolled();
          const phone = method === 'sms' ? await totp.setUpPhone(of) : null;
          const pending = await totp.pending(of);
          let code = method === 'totp' ? totp.code(of.secret) : of.recoveryCodes[0]!;
          if (phone !== null) {
            expect((await totp.post('/login/mfa-send', { mfa_pending_token: pending })).status).toBe(202);
            code = codeIn(await app.nextText(phone));
          }
          let reply: Reply | undefined;
          const confirm = async () => (reply = await totp.second(pending, code, method));
          const calls = await interleave(app, confirm, { [at]: () => end(of) });
          if (reply!.status === 200) expect(await isAlive(app, reply!.body.access_token)).toBe(calls <= at);
          else
            expect(reply).toMatchObject({
              status: 400,
              body: { code: expect.stringMatching(/^(invalid_token|mfa_code_)/) },
            });
          if (at === 0) expect(reply!.status).toBe(400);
          if (phone !== null) {
            const sent = await totp.post('/login/mfa-send', { mfa_pending_token: pending });
            // Ended with its account, or used up by its sign-in.
            expect(sent).toMatchObject({ status: 400, body: { code: 'invalid_token' } });
          }
          return calls;
        });
      },
    );
  });

  test('administration that removes every factor leaves none, at whatever moment the owner comes', async () => {
    const { operator } = app.gatehouse as Assembled;
    expect(operator).toBeDefined();
    const superuser = await someone({ isSuperuser: true });
    await atEachMoment(backend, async at => {
      const of = await someone({ phone: true });
      const by = { token: await totp.signIn(superuser) };
      const clear = () => app.rest('DELETE', `/admin/users/${of.id}/authenticators`, undefined, by);
      const calls = await interleave(app, clear, { [at]: await acts['removes the phone'](of) });
      expect(await totp.stored(of)).toEqual([]);
      expect(await totp.user(of)).toMatchObject({ phoneNumber: null, isMfaEnabled: false });
      await expectConsistent(of);
      return calls;
    });
  });

  // Shows asvs/6.5.1, 63b/3.1.2.2#once.
  test('ten recovery codes used at the same moment all work, each once', async () => {
    const of = await totp.enrolled();
    const pending: string[] = [];
    for (const _ of upTo(10)) pending.push(await totp.pending(of));
    const replies = await Promise.all(
      of.recoveryCodes.map((code, i) => totp.second(pending[i]!, code, 'recovery_code')),
    );
    expect(replies.map(({ status }) => status)).toEqual(Array(10).fill(200));
    expect(await totp.codesLeft(of)).toBe(0);
    expect(await totp.challenge(of)).toMatchObject({ methods: ['totp'] });
  });
});
