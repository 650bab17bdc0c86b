import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { GatehouseError } from '../../src/errors.ts';
import type { Assembled } from '../../src/gatehouse.ts';
import { type App, logIn, type Member, type Reply, signUp, startApp } from '../support/app.ts';
import { describeEachDriver } from '../support/backends.ts';
import { eventually } from '../support/eventually.ts';
import { atEachMoment, interleave } from '../support/interleave.ts';
import { baseUrl } from '../support/oidc.ts';
import { Passkey } from '../support/passkeys.ts';
import { codeIn, isAlive, newPhone } from '../support/people.ts';
import { totpOf, totpSettings } from '../support/totp.ts';

const refusedAsOld = { status: 401, body: { code: 'recent_sign_in_required' } };
const settings = {
  ...{ ...totpSettings, baseUrl, enablePasskeys: true, enableSms2fa: true },
  mfaRequired: 'everyone' as const,
};

// Requests of a stranger's session that run while the owner takes the account over must change nothing (CONTRACT §4.3).
describeEachDriver('a stranger in an account that is taken away', backend => {
  let app: App;
  let totp: ReturnType<typeof totpOf>;
  beforeAll(async () => {
    app = await startApp({ backend, settings });
    totp = totpOf(app);
  });
  afterEach(() => vi.restoreAllMocks());
  afterAll(() => app?.close());

  const takeOver = async ({ email }: { email: string }) => {
    const { operator } = app.gatehouse as Assembled;
    await operator.takeOver({ email });
  };

  /** Runs an act with a take-over before each of its storage calls in turn, and then checks what is left. */
  async function atEveryMoment<T>(
    prepare: () => Promise<{ of: T & { email: string }; act: () => Promise<Reply> }>,
    check: (of: T, reply: Reply) => Promise<void>,
  ): Promise<void> {
    await atEachMoment(backend, async at => {
      const { of, act } = await prepare();
      const replies: Reply[] = [];
      const calls = await interleave(app, async () => replies.push(await act()), {
        [at]: () => takeOver(of),
      });
      if (at < calls) await check(of, replies[0]!);
      return calls;
    });
  }

  test('gets no session by a passkey', async () => {
    await atEveryMoment(
      async () => {
        const of = await signUp(app);
        const key = new Passkey(baseUrl);
        const setup = await totp.post('/passkeys/start', {}, of);
        const added = { id: setup.body.id, credential: key.create(setup.body.options) };
        expect((await totp.post('/passkeys/confirm', added, of)).status).toBe(200);
        const { body } = await totp.post('/login/passkey/start', {});
        const proof = { id: body.id, credential: key.get(body.options) };
        return { of, act: () => totp.post('/login/passkey', proof) };
      },
      async (_of, { body }) => {
        if (body.access_token) expect(await isAlive(app, body.access_token)).toBe(false);
      },
    );
  });

  describe('keeps no factor', () => {
    const expectNone = async (of: { id: string }) => {
      expect(await totp.stored(of)).toEqual([]);
      expect(await totp.user(of)).toMatchObject({ phoneNumber: null, isMfaEnabled: false });
      expect(await totp.codesLeft(of)).toBeNull();
    };

    test('by removing another one, of which one must stay', async () => {
      await atEveryMoment(async () => {
        const of = await totp.enrolled();
        const token = await totp.signIn(of);
        await totp.setUp({ token });
        return { of, act: () => totp.remove(of.authenticatorId, token) };
      }, expectNone);
    });

    test('by removing the phone, beside an app', async () => {
      await atEveryMoment(async () => {
        const of = await totp.enrolled();
        await totp.setUpPhone(of);
        const token = await totp.signIn(of);
        const body = { current_password: of.password };
        return { of, act: () => app.rest('DELETE', '/phone', body, { token }) };
      }, expectNone);
    });
  });

  test.each(['app', 'passkey'])('adds no %s when the check after storing it fails', async kind => {
    const { authenticators, users } = app.gatehouse.repositories;
    const of = await signUp(app);
    const confirm = kind === 'app' ? await confirmApp(of) : await confirmPasskey(of);
    const { add } = authenticators;
    vi.spyOn(authenticators, 'add').mockImplementationOnce(async row => {
      await takeOver(of);
      vi.spyOn(users, 'findSession').mockRejectedValueOnce(new GatehouseError('unavailable'));
      return add(row);
    });
    expect(await confirm()).toMatchObject({ status: 503 });
    expect(await totp.stored(of)).toEqual([]);
    expect(await totp.user(of)).toMatchObject({ isMfaEnabled: false });
  });

  describe.each(['app', 'passkey'])('leaves no %s', kind => {
    const unavailable = () => new GatehouseError('unavailable');

    test('that was stored although the database answered too late', async () => {
      const { authenticators } = app.gatehouse.repositories;
      const of = await signUp(app);
      const confirm = kind === 'app' ? await confirmApp(of) : await confirmPasskey(of);
      const { add } = authenticators;
      vi.spyOn(authenticators, 'add').mockImplementationOnce(async row => {
        await add(row);
        throw unavailable();
      });
      await expectUndone(of, confirm);
    });

    test.each(['check', 'recovery codes'])('when neither its %s nor the undoing is answered', async step => {
      const { authenticators, recovery_codes, users } = app.gatehouse.repositories;
      const of = await signUp(app);
      const confirm = kind === 'app' ? await confirmApp(of) : await confirmPasskey(of);
      const { add } = authenticators;
      vi.spyOn(authenticators, 'add').mockImplementationOnce(async row => {
        if (step === 'check') vi.spyOn(users, 'findSession').mockRejectedValueOnce(unavailable());
        else vi.spyOn(recovery_codes, 'find').mockRejectedValueOnce(unavailable());
        vi.spyOn(authenticators, 'remove').mockRejectedValueOnce(unavailable());
        return add(row);
      });
      await expectUndone(of, confirm);
    });

    async function expectUndone(of: Member, confirm: () => Promise<Reply>) {
      expect(await confirm()).toMatchObject({ status: 503 });
      await eventually(async () => {
        expect(await totp.stored(of)).toEqual([]);
        expect(await totp.user(of)).toMatchObject({ isMfaEnabled: false });
      });
      expect(await totp.codesLeft(of)).toBeNull();
    }
  });

  async function confirmApp(of: Member) {
    const { id, secret } = await totp.start(of);
    return () => totp.post('/totp/confirm', { id, code: totp.code(secret) }, of);
  }

  async function confirmPasskey(of: Member) {
    const { body } = await totp.post('/passkeys/start', {}, of);
    const credential = new Passkey(baseUrl).create(body.options);
    return () => totp.post('/passkeys/confirm', { id: body.id, credential }, of);
  }

  test('has no phone beside the app that the owner adds meanwhile', async () => {
    const { users } = app.gatehouse.repositories;
    await atEachMoment(backend, async at => {
      const of = await signUp(app);
      const phone = newPhone();
      const start = { phone_number: phone, current_password: of.password };
      const { body } = await totp.post('/phone/start', start, of);
      const confirmation = { pending_token: body.pending_token, code: codeIn(await app.nextText(phone)) };
      const owner = { token: await logIn(app, of) };
      const replies: Reply[] = [];
      let before: string | null = null;
      const confirm = async () => replies.push(await totp.post('/phone/confirm', confirmation, of));
      const calls = await interleave(app, confirm, {
        [at]: async () => {
          before = (await users.find(of.id))!.phoneNumber;
          // A phone that is stored makes a second step due before anything can be added.
          if (before === null) await totp.setUp(owner);
          else expect(await totp.post('/totp/start', {}, owner)).toMatchObject(refusedAsOld);
        },
      });
      const { phoneNumber, isMfaEnabled } = await totp.user(of);
      expect(isMfaEnabled).toBe(true);
      if (at < calls && before === null) {
        expect([phoneNumber, replies[0]?.body.code]).toEqual([null, 'recent_sign_in_required']);
      }
      return calls;
    });
  });

  test('leaves no recovery codes that nobody has seen to an authenticator that is added meanwhile', async () => {
    const { dependencies, repositories } = app.gatehouse as Assembled;
    const { authenticators } = repositories;
    const of = await signUp(app);
    const confirm = await confirmApp(of);
    // The owner could not be told, so the set-up is undone; before that, another one is stored.
    vi.spyOn(dependencies.mails.notices, 'notify').mockRejectedValueOnce(new GatehouseError('unavailable'));
    const { remove } = authenticators;
    const unseen: (number | null)[] = [];
    vi.spyOn(authenticators, 'remove').mockImplementationOnce(async (...which) => {
      const [row] = await authenticators.listByUser(of.id);
      const id = randomUUID();
      expect(await authenticators.add({ ...row!, id, credentialId: id })).toBe('added');
      unseen.push(await totp.codesLeft(of));
      return remove(...which);
    });
    expect(await confirm()).toMatchObject({ status: 503 });
    expect(unseen).toEqual([10]);
    expect(await totp.stored(of)).toHaveLength(1);
    expect(await totp.codesLeft(of)).toBeNull();
  });

  test('takes no phone away that another session has confirmed since', async () => {
    const { users } = app.gatehouse.repositories;
    const of = await signUp(app);
    const owner = { token: await logIn(app, of) };
    const phone = newPhone();
    const start = { phone_number: phone, current_password: of.password };
    const confirmationBy = async (by: { token: string }) => {
      const { body } = await totp.post('/phone/start', start, by);
      const code = codeIn(await app.nextText(phone));
      return () => totp.post('/phone/confirm', { pending_token: body.pending_token, code }, by);
    };
    const confirm = await confirmationBy(of);
    const { change } = users;
    // The first session has stored the phone when it is ended, and its owner confirms the same one.
    vi.spyOn(users, 'change').mockImplementationOnce(async (...args) => {
      const changed = await change(...args);
      await app.rest('POST', '/logout', undefined, of);
      app.clock.advance(1000);
      expect(await (await confirmationBy(owner))()).toMatchObject({ status: 200 });
      return changed;
    });
    expect(await confirm()).toMatchObject({ status: 401 });
    expect(await users.find(of.id)).toMatchObject({ phoneNumber: phone, isMfaEnabled: true });
  });

  test.each(['storing it', 'the email'])('leaves no phone when %s is answered too late', async step => {
    const { dependencies, repositories } = app.gatehouse as Assembled;
    const { users } = repositories;
    const of = await signUp(app);
    const phone = newPhone();
    const start = { phone_number: phone, current_password: of.password };
    const { body } = await totp.post('/phone/start', start, of);
    const confirmation = { pending_token: body.pending_token, code: codeIn(await app.nextText(phone)) };
    const { change } = users;
    const late = () => Promise.reject(new GatehouseError('unavailable'));
    if (step === 'the email') vi.spyOn(dependencies.mails.notices, 'notify').mockImplementationOnce(late);
    else
      vi.spyOn(users, 'change').mockImplementationOnce(async (...args) => {
        await change(...args);
        return late();
      });
    expect(await totp.post('/phone/confirm', confirmation, of)).toMatchObject({ status: 503 });
    await eventually(async () =>
      expect(await totp.user(of)).toMatchObject({ phoneNumber: null, isMfaEnabled: false }),
    );
  });

  test('gets no recovery codes once the session has ended', async () => {
    const { recovery_codes, users } = app.gatehouse.repositories;
    await atEachMoment(backend, async at => {
      const of = await totp.enrolled();
      const token = await totp.signIn(of);
      let before: string | undefined;
      const calls = await interleave(app, () => totp.post('/recovery-codes', {}, { token }), {
        [at]: async () => {
          before = (await recovery_codes.find(of.id))?.version;
          await users.change(of.id, { cutOffAt: app.clock.now() });
        },
      });
      // A factor that is stored afterwards is removed again; one that was stored before stays for the owner.
      if (at < calls) expect([before, undefined]).toContain((await recovery_codes.find(of.id))?.version);
      return calls;
    });
  });
});
