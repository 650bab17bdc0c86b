import { AuthenticatorEmulator, WebAuthnEmulator } from 'nid-webauthn-emulator';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signUp } from '../../support/app.ts';
import { describeStory } from '../../support/backends.ts';
import { type Call, doors, resultOf } from '../../support/doors.ts';
import { type External, startExternal } from '../../support/external.ts';
import { baseUrl } from '../../support/oidc.ts';
import { backedUp, claimsIn, eligible, Passkey, present, verified } from '../../support/passkeys.ts';
import { newSubject, upTo } from '../../support/people.ts';
import { setUpTotp, strongSettings } from '../../support/strong.ts';

const settings = { ...strongSettings, oauth: { enforceMfa: true } };

describeStory('passkeys', backend => {
  let external: External;
  beforeAll(async () => {
    external = await startExternal({ backend, settings });
  });
  afterAll(() => external?.close());
  const app = () => external.app;

  describe.each(doors)('through $name', door => {
    type Get = (options: unknown) => Record<string, unknown>;
    const call: Call = (...args) => door.at(app())(...args);
    const ok = (...args: Parameters<Call>) => resultOf(call(...args));

    async function add(member: { token: string }, create: Get, input: object = {}) {
      const { id, options } = await ok('startPasskeySetup', undefined, member);
      const credential = create(options);
      return ok('confirmPasskeySetup', { id, credential, ...input }, member);
    }
    async function signIn(get: Get) {
      const { id, options } = await ok('startPasskeyLogin');
      return ok('loginWithPasskey', { id, credential: get(options) });
    }
    async function finishStep(mfa_pending_token: string, get: Get) {
      const { id, options } = await ok('startMfaPasskey', { mfa_pending_token });
      const credential = get(options);
      return ok('confirmLoginMfa', { mfa_pending_token, method: 'passkey', id, credential });
    }

    test.each(['ES256', 'EdDSA', 'RS256'] as const)(
      'of a foreign authenticator (%s) sign in, and are the second step',
      async algorithm => {
        const foreign = new WebAuthnEmulator(
          new AuthenticatorEmulator({ algorithmIdentifiers: [algorithm] }),
        );
        const create: Get = options => ({ ...foreign.createJSON(baseUrl, options as never) });
        const get: Get = options => ({ ...foreign.getJSON(baseUrl, options as never) });
        const member = await signUp(app());
        const { authenticator, recovery_codes } = await add(member, create, { name: 'Phone' });
        expect(authenticator).toMatchObject({ kind: 'passkey', name: 'Phone' });
        expect(recovery_codes).toHaveLength(10);

        const session = await signIn(get);
        expect(claimsIn(session.access_token)).toMatchObject({ sub: member.id });
        expect(claimsIn(session.access_token).amr).toContain('mfa');

        // A passkey alone makes no second step due; an authenticator app does, and then the passkey is the strongest.
        const { email, password } = member;
        const alone = await ok('login', { email, password });
        expect(claimsIn(alone.access_token).amr).toEqual(['pwd']);
        await setUpTotp(app(), { token: session.access_token });
        const challenge = await ok('login', { email, password });
        expect(challenge).toMatchObject({
          delivery: 'none',
          methods: ['passkey', 'totp', 'recovery_code'],
        });
        const both = await finishStep(challenge.mfa_pending_token, get);
        expect(claimsIn(both.access_token).amr).toEqual(['pwd', expect.stringMatching(/^[hs]wk$/), 'mfa']);
      },
    );

    test('ask for what signing in needs, and name the account by a random handle', async () => {
      const member = await signUp(app());
      const { options } = await ok('startPasskeySetup', undefined, member);
      expect(options).toMatchObject({
        rp: { id: 'app.example' },
        user: { name: member.email },
        attestation: 'none',
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
        excludeCredentials: [],
        timeout: 300_000,
      });
      const algorithms = options.pubKeyCredParams.map(({ alg }: { alg: number }) => alg);
      expect(algorithms).toEqual([-8, -7, -257]);
      expect(Buffer.from(options.user.id, 'base64url')).toHaveLength(32);
      expect(Buffer.from(options.challenge, 'base64url').length).toBeGreaterThanOrEqual(16);
      const login = await ok('startPasskeyLogin');
      expect(login.options).toMatchObject({ rpId: 'app.example', userVerification: 'required' });
      expect(login.options.allowCredentials ?? []).toEqual([]);
    });

    test('of one account have one handle, and exclude each other', async () => {
      const member = await signUp(app());
      const [first, second] = [new Passkey(baseUrl), new Passkey(baseUrl)];
      // Both are begun before one is there.
      const one = await ok('startPasskeySetup', undefined, member);
      const two = await ok('startPasskeySetup', undefined, member);
      await ok('confirmPasskeySetup', { id: one.id, credential: first.create(one.options) }, member);
      app().clock.advance(1);
      await ok('confirmPasskeySetup', { id: two.id, credential: second.create(two.options) }, member);
      expect(first.userHandle).toBe(second.userHandle);
      expect(first.userHandle).not.toContain(member.id);
      const { options } = await ok('startPasskeySetup', undefined, member);
      expect(options.excludeCredentials).toEqual(
        [first, second].map(({ id }) => ({ id, type: 'public-key', transports: ['internal'] })),
      );
      expect(options.user.id).toBe(first.userHandle);
      const other = await ok('startPasskeySetup', undefined, await signUp(app()));
      expect(other.options.user.id).not.toBe(first.userHandle);
    });

    test('begun at the same moment never leave two handles', async () => {
      const member = await signUp(app());
      const begun = await Promise.all(upTo(4).map(() => ok('startPasskeySetup', undefined, member)));
      const answers = await Promise.all(
        begun.map(({ id, options }) =>
          call('confirmPasskeySetup', { id, credential: new Passkey(baseUrl).create(options) }, member),
        ),
      );
      const rows = await app().gatehouse.repositories.authenticators.listByUser(member.id);
      expect(rows).toHaveLength(answers.filter(({ ok }) => ok).length);
      expect(rows.length).toBeGreaterThan(0);
      expect(new Set(rows.map(({ userHandle }) => userHandle)).size).toBe(1);
    });

    test('say what was proved: bound to hardware, or a key that may leave its device', async () => {
      const member = await signUp(app());
      const key = new Passkey(baseUrl);
      const { authenticator } = await add(member, options => key.create(options));
      expect(authenticator.is_synced).toBe(false);
      const bound = await signIn(options => key.get(options));
      expect(claimsIn(bound.access_token).amr).toEqual(['hwk', 'mfa']);

      const synced = new Passkey(baseUrl);
      const all = present | verified | eligible | backedUp;
      const added = await add(member, options => synced.create(options, { flags: all }));
      expect(added.authenticator.is_synced).toBe(true);
      expect(added.recovery_codes).toBeUndefined();
      const soft = await signIn(options => synced.get(options, { flags: all }));
      expect(claimsIn(soft.access_token).amr).toEqual(['swk', 'mfa']);
      // Backed up no longer, but it may be again.
      const kept = await signIn(options => synced.get(options, { flags: present | verified | eligible }));
      expect(claimsIn(kept.access_token).amr).toEqual(['swk', 'mfa']);
      const list = await app().rest('GET', '/authenticators', undefined, member);
      expect(list.body.items).toMatchObject([{ is_synced: false }, { is_synced: false }]);
    });

    test('are the second step of an external sign-in', async () => {
      const member = await signUp(app());
      const key = new Passkey(baseUrl);
      const subject = newSubject();
      await external.link(member, subject);
      await add(member, options => key.create(options));
      await setUpTotp(app(), member);
      const { body } = await external.exchange(await external.signIn(subject));
      expect(body).toMatchObject({
        status: 'mfa_required',
        methods: ['passkey', 'totp', 'recovery_code'],
      });
      const session = await finishStep(body.mfa_pending_token, options =>
        key.get(options, { flags: present }),
      );
      expect(claimsIn(session.access_token).amr).toEqual(['fed', 'hwk', 'mfa']);
    });

    test('sign in again, and the former session ends', async () => {
      const member = await signUp(app());
      const key = new Passkey(baseUrl);
      await add(member, options => key.create(options));
      app().clock.advance(1000 * 1000);
      expect(await call('startPasskeySetup', undefined, member)).toMatchObject({ status: 401 });
      const { id, options } = await ok('startPasskeyLogin');
      const again = await ok('reauthenticate', { id, credential: key.get(options) }, member);
      expect(claimsIn(again.access_token)).toMatchObject({ sub: member.id, amr: ['hwk', 'mfa'] });
      await ok('startPasskeySetup', undefined, { token: again.access_token });
      expect((await app().rest('GET', '/me', undefined, member)).status).toBe(401);

      // Somebody else's passkey proves nothing about this account.
      const other = await signUp(app());
      const begun = await ok('startPasskeyLogin');
      expect(
        await call('reauthenticate', { id: begun.id, credential: key.get(begun.options) }, other),
      ).toMatchObject({ status: 400, code: 'passkey_invalid' });
    });

    // Shows asvs/6.5.6.
    test('are renamed and removed by their owner alone; a removed one is like one that never was', async () => {
      const member = await signUp(app());
      const other = await signUp(app());
      const key = new Passkey(baseUrl);
      const { authenticator } = await add(member, options => key.create(options));
      const { id } = authenticator;
      expect(await ok('renameAuthenticator', { id, name: ' Key ring ' }, member)).toMatchObject({
        name: 'Key ring',
      });
      for (const operation of ['renameAuthenticator', 'removeAuthenticator'] as const) {
        const input = { id, ...(operation === 'renameAuthenticator' && { name: 'mine' }) };
        expect(await call(operation, input, other)).toMatchObject({ status: 404, code: 'not_found' });
      }
      await ok('removeAuthenticator', { id }, member);
      const stranger = new Passkey(baseUrl);
      Object.assign(stranger, { rpId: key.rpId, userHandle: key.userHandle });
      const refused = [];
      for (const each of [key, stranger]) {
        const begun = await ok('startPasskeyLogin');
        refused.push(await call('loginWithPasskey', { id: begun.id, credential: each.get(begun.options) }));
      }
      expect(refused[0]).toMatchObject({ status: 400, code: 'passkey_invalid' });
      expect(refused[0]).toEqual(refused[1]);
      const list = await app().rest('GET', '/authenticators', undefined, member);
      expect(list.body).toEqual({ items: [], recovery_codes_left: 0 });
      // The passkey can be added again.
      await add(member, options => key.create(options));
    });

    test('are ten at most, also when they are added at once', async () => {
      const member = await signUp(app());
      await add(member, options => new Passkey(baseUrl).create(options));
      const begun = await Promise.all(upTo(12).map(() => ok('startPasskeySetup', undefined, member)));
      const answers = await Promise.all(
        begun.map(({ id, options }) =>
          call('confirmPasskeySetup', { id, credential: new Passkey(baseUrl).create(options) }, member),
        ),
      );
      const refused = answers.filter(({ ok }) => !ok);
      expect(refused).toHaveLength(3);
      const full = { status: 409, code: 'authenticator_limit' };
      for (const answer of refused) expect(answer).toMatchObject(full);
      expect(await app().gatehouse.repositories.authenticators.listByUser(member.id)).toHaveLength(10);
      expect(await call('startPasskeySetup', undefined, member)).toMatchObject(full);
    });
  });
});
