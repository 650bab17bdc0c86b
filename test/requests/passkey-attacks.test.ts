import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type App, type Member, type Reply, signUp, startApp, tokenOf } from '../support/app.ts';
import { describeEachDriver } from '../support/backends.ts';
import { baseUrl } from '../support/oidc.ts';
import {
  backedUp,
  type Claims,
  cbor,
  type NewClaims,
  Passkey,
  present,
  rsaCoseKey,
  shape,
  verified,
} from '../support/passkeys.ts';
import { upTo } from '../support/people.ts';
import { setUpTotp } from '../support/strong.ts';
import { totpSettings } from '../support/totp.ts';

const settings = { ...totpSettings, baseUrl, enablePasskeys: true, enableAdminRouter: true };

const foreignKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const invalid = { status: 400, body: { code: 'passkey_invalid' } };
const notFound = { status: 404, body: { code: 'not_found' } };

describeEachDriver('attacks on passkeys', backend => {
  let app: App;
  beforeAll(async () => {
    app = await startApp({ backend, settings });
  });
  afterAll(() => app?.close());

  // Whether an answer is a right one is decided on the answer and its challenge alone, before a row is changed. So what
  // answers may be wrong in is tested on one database.
  const isFirst = backend.name === 'sqlite';

  const post = (path: string, body: object = {}, by?: { token: string }) =>
    app.rest('POST', path, body, by && { token: by.token });
  async function begin(path: string, body: object = {}, by?: { token: string }) {
    const { status, body: begun } = await post(path, body, by);
    expect(status, JSON.stringify(begun)).toBe(200);
    return begun;
  }

  async function add(by: { token: string }, key: Passkey, claims?: NewClaims): Promise<Reply> {
    const { id, options } = await begin('/passkeys/start', {}, by);
    return post('/passkeys/confirm', { id, credential: key.create(options, claims) }, by);
  }
  async function signIn(key: Passkey, claims?: Claims): Promise<Reply> {
    const { id, options } = await begin('/login/passkey/start');
    return post('/login/passkey', { id, credential: key.get(options, claims) });
  }

  /** Somebody with a passkey. */
  async function owner() {
    const member = await signUp(app);
    const key = new Passkey(baseUrl);
    expect((await add(member, key)).status).toBe(200);
    return { member, key };
  }

  async function pendingOf({ email, password }: Member): Promise<string> {
    return (await begin('/login', { email, password })).mfa_pending_token;
  }

  describe('a challenge', () => {
    // Shows asvs/6.7.2, 63b/2.2.2#replay-resistant.
    test('is good once, also when it is answered many times at once', async () => {
      const { key } = await owner();
      const { id, options } = await begin('/login/passkey/start');
      const credential = key.get(options);
      const replies = await Promise.all(upTo(10).map(() => post('/login/passkey', { id, credential })));
      expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
      for (const reply of replies.filter(({ status }) => status !== 200))
        expect(reply).toMatchObject(notFound);
      expect(await post('/login/passkey', { id, credential })).toMatchObject(notFound);
    });

    // Shows 63b/3.1.6.2#challenge.
    test('is used up by a wrong answer', async () => {
      const { key } = await owner();
      const { id, options } = await begin('/login/passkey/start');
      expect(await post('/login/passkey', { id, credential: {} })).toMatchObject(invalid);
      expect(await post('/login/passkey', { id, credential: key.get(options) })).toMatchObject(notFound);
    });

    test('ends after five minutes', async () => {
      const { member, key } = await owner();
      const setup = await begin('/passkeys/start', {}, member);
      const login = await begin('/login/passkey/start');
      const late = new Passkey(baseUrl);
      app.clock.advance(299_000);
      const inTime = await begin('/login/passkey/start');
      app.clock.advance(1000);
      expect(
        await post('/login/passkey', { id: login.id, credential: key.get(login.options) }),
      ).toMatchObject(notFound);
      expect(
        await post('/passkeys/confirm', { id: setup.id, credential: late.create(setup.options) }, member),
      ).toMatchObject(notFound);
      expect(
        (await post('/login/passkey', { id: inTime.id, credential: key.get(inTime.options) })).status,
      ).toBe(200);
    });

    test('of one purpose, account, session or pending token is none of another', async () => {
      const { member, key } = await owner();
      const victim = await owner();
      await setUpTotp(app, member);
      const session = { token: await freshSession(key) };
      const [mine, others] = [await pendingOf(member), await pendingOf(member)];
      const setup = await begin('/passkeys/start', {}, session);
      const login = await begin('/login/passkey/start');
      const step = await begin('/login/mfa-passkey/start', { mfa_pending_token: mine });
      const totp = await begin('/totp/start', {}, session);
      const answerTo = (begun: { options: unknown }) => key.get(begun.options);
      const confirm = (mfa_pending_token: string, id: string, credential: object) =>
        post('/login/mfa-confirm', { mfa_pending_token, method: 'passkey', id, credential });

      for (const { id } of [setup, step, totp]) {
        expect(await post('/login/passkey', { id, credential: answerTo(login) })).toMatchObject(notFound);
      }
      expect(await confirm(mine, login.id, answerTo(login))).toMatchObject(notFound);
      expect(await confirm(others, step.id, answerTo(step))).toMatchObject(notFound);
      const fresh = new Passkey(baseUrl);
      const created = fresh.create(setup.options);
      for (const by of [victim.member, { token: await freshSession(key) }]) {
        expect(await post('/passkeys/confirm', { id: setup.id, credential: created }, by)).toMatchObject(
          notFound,
        );
      }
      for (const { id } of [login, step, totp]) {
        expect(await post('/passkeys/confirm', { id, credential: created }, session)).toMatchObject(notFound);
      }
      // All the refusals have taken nothing from those who began.
      expect((await post('/passkeys/confirm', { id: setup.id, credential: created }, session)).status).toBe(
        200,
      );
      expect((await confirm(mine, step.id, answerTo(step))).status).toBe(200);
      expect((await post('/login/passkey', { id: login.id, credential: answerTo(login) })).status).toBe(200);
    });

    async function freshSession(key: Passkey): Promise<string> {
      return (await signIn(key)).body.access_token;
    }

    test('that was asked for and never answered counts for nothing', async () => {
      const member = await signUp(app);
      const { options } = await begin('/passkeys/start', {}, member);
      const key = new Passkey(baseUrl);
      key.create(options);
      expect(await signIn(key)).toMatchObject(invalid);
      const { body } = await app.rest('GET', '/authenticators', undefined, member);
      expect(body).toEqual({ items: [], recovery_codes_left: 0 });
      const { email, password } = member;
      expect((await post('/login', { email, password })).body.access_token).toBeTypeOf('string');
    });

    test('cannot be chosen by who answers', async () => {
      const { key } = await owner();
      expect(await signIn(key, { challenge: randomBytes(32).toString('base64url') })).toMatchObject(invalid);
    });
  });

  /** What is wrong with an answer to either kind of challenge. */
  const wrong: [string, Claims][] = [
    ['another origin', { origin: 'https://evil.example' }],
    ['a subdomain', { origin: 'https://sub.app.example' }],
    ['another port', { origin: `${baseUrl}:8443` }],
    ['http', { origin: baseUrl.replace('https:', 'http:') }],
    ['an origin that begins alike', { origin: `${baseUrl}.evil.example` }],
    ['another rp id', { rpId: 'evil.example' }],
    ['a subdomain as rp id', { rpId: 'sub.app.example' }],
    ['a parent domain as rp id', { rpId: 'example' }],
    ['another type', { type: 'payment.get' }],
    ['a page embedded in another origin', { clientData: { crossOrigin: true } }],
    [
      'a page embedded in a named origin',
      { clientData: { crossOrigin: true, topOrigin: 'https://evil.example' } },
    ],
    ['nobody present', { flags: verified }],
    ['nobody verified', { flags: present }],
    ['backed up and yet not eligible for it', { flags: present | verified | backedUp }],
  ];

  if (isFirst) {
    // Shows 63b/3.1.7.2#verified-flag.
    test.each(wrong)('%s is refused at a sign-in', async (_name, claims) => {
      const { key } = await owner();
      expect(await signIn(key, claims)).toMatchObject(invalid);
      expect((await signIn(key)).status).toBe(200);
    });

    test.each(wrong)('%s is refused at a set-up', async (_name, claims) => {
      const member = await signUp(app);
      const key = new Passkey(baseUrl);
      expect(await add(member, key, claims)).toMatchObject(invalid);
      expect(await signIn(key)).toMatchObject(invalid);
    });
  }

  // Shows 63b/2.2.2#phishing-resistant-option, 63b/3.2.5.2#name-binding.
  test('the headers of a request decide about no origin', async () => {
    const { key } = await owner();
    const headers = { Origin: 'https://evil.example', 'X-Forwarded-Host': 'evil.example' };
    const { body } = await app.rest('POST', '/login/passkey/start', {}, { headers });
    expect(body.options.rpId).toBe('app.example');
    const credential = key.get(body.options, { origin: 'https://evil.example', rpId: 'evil.example' });
    const reply = await app.rest('POST', '/login/passkey', { id: body.id, credential }, { headers });
    expect(reply).toMatchObject(invalid);
  });

  describe('a set-up', () => {
    const unusable: [string, NewClaims][] = [
      ['an algorithm that was not asked for', { algorithm: -35 }],
      ['an RSA key below 2,048 bits', { publicKey: rsaCoseKey(2047) }],
      ['an RSA key of 1,024 bits', { publicKey: rsaCoseKey(1024) }],
      ['a credential id of more than 1023 bytes', { credentialId: randomBytes(1024) }],
      ['no credential id', { credentialId: Buffer.alloc(0) }],
      [
        'an attestation with certificates',
        {
          attestation: Buffer.concat([
            cbor.text('packed'),
            cbor.text('attStmt'),
            cbor.map(
              ...[cbor.text('alg'), cbor.int(-7), cbor.text('sig'), cbor.bytes(randomBytes(70))],
              ...[cbor.text('x5c'), Buffer.concat([Buffer.from([0x81]), cbor.bytes(randomBytes(300))])],
            ),
          ]),
        },
      ],
      [
        'an attestation of another format',
        { attestation: Buffer.concat([cbor.text('tpm'), cbor.text('attStmt'), cbor.map()]) },
      ],
    ];
    // Shows 63b/3.1.6.2#key-strength.
    test.each(isFirst ? unusable : [])('with %s is refused', async (_name, claims) => {
      expect(await add(await signUp(app), new Passkey(baseUrl), claims)).toMatchObject(invalid);
    });

    test('keeps of the transports what the standard knows', async () => {
      const odd: unknown[] = [
        'usb',
        7,
        null,
        { toString: 'usb' },
        ['usb', 'a,b', 'x\0', '\ud800', 'nfc', 4, {}, 'nfc'],
        upTo(1000).map(String),
      ];
      for (const transports of odd) {
        const member = await signUp(app);
        expect((await add(member, new Passkey(baseUrl), { transports })).status).toBe(200);
        const { options } = await begin('/passkeys/start', {}, member);
        const [excluded] = options.excludeCredentials;
        const isList = Array.isArray(transports) && transports.includes('usb');
        expect(excluded.transports).toEqual(isList ? ['nfc', 'usb'] : undefined);
      }
    });

    test('of the longest credential id signs in', async () => {
      const key = new Passkey(baseUrl, randomBytes(1023));
      expect((await add(await signUp(app), key)).status).toBe(200);
      expect((await signIn(key)).status).toBe(200);
    });

    // Shows asvs/6.7.1, 63b/3.1.6.2#keys-unmodified.
    test('of a credential that is registered is refused, for its own and for another account', async () => {
      const { member, key } = await owner();
      const other = await signUp(app);
      expect(await add(member, new Passkey(baseUrl, key.credentialId))).toMatchObject(invalid);
      expect(await add(other, new Passkey(baseUrl, key.credentialId))).toMatchObject(invalid);
      expect((await signIn(key)).status).toBe(200);
      const fresh = randomBytes(32);
      const people = await Promise.all(upTo(4).map(() => signUp(app)));
      const replies = await Promise.all(people.map(by => add(by, new Passkey(baseUrl, fresh))));
      expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    });
  });

  describe('a counter', () => {
    test('must rise, except where it is always 0', async () => {
      const { key } = await owner();
      expect((await signIn(key, { counter: 0 })).status).toBe(200);
      expect((await signIn(key, { counter: 0 })).status).toBe(200);
      expect((await signIn(key, { counter: 5 })).status).toBe(200);
      for (const counter of [5, 4, 0]) expect(await signIn(key, { counter })).toMatchObject(invalid);
      expect((await signIn(key, { counter: 2 ** 32 - 1 })).status).toBe(200);
    });

    test('of a copied key lets one of several at once in', async () => {
      const { key } = await owner();
      expect((await signIn(key, { counter: 1 })).status).toBe(200);
      const begun = await Promise.all(upTo(6).map(() => begin('/login/passkey/start')));
      const replies = await Promise.all(
        begun.map(({ id, options }) =>
          post('/login/passkey', { id, credential: key.get(options, { counter: 2 }) }),
        ),
      );
      expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    });
  });

  describe('another account', () => {
    test('is not reached by its user handle, and none without one', async () => {
      const [mine, theirs] = [await owner(), await owner()];
      const handles = [theirs.key.userHandle, null, '', theirs.member.id, 'x\0y', '\ud800'];
      for (const userHandle of handles) {
        expect(await signIn(mine.key, { userHandle })).toMatchObject(invalid);
      }
      const { id, options } = await begin('/login/passkey/start');
      const credential = { ...mine.key.get(options), id: theirs.key.id, rawId: theirs.key.id };
      expect(await post('/login/passkey', { id, credential })).toMatchObject(invalid);
      expect(await signIn(mine.key, { key: foreignKey })).toMatchObject(invalid);
    });

    test("is of no use at the second step: neither its passkey nor the owner's with its handle", async () => {
      const [mine, theirs] = [await owner(), await owner()];
      await setUpTotp(app, mine.member);
      const cases = [
        (options: unknown) => theirs.key.get(options),
        (options: unknown) => theirs.key.get(options, { userHandle: mine.key.userHandle }),
        (options: unknown) => mine.key.get(options, { userHandle: theirs.key.userHandle }),
        (options: unknown) => mine.key.get(options, { key: foreignKey }),
      ];
      for (const answer of cases) {
        const mfa_pending_token = await pendingOf(mine.member);
        const { id, options } = await begin('/login/mfa-passkey/start', { mfa_pending_token });
        expect(options.allowCredentials.map((each: { id: string }) => each.id)).toEqual([mine.key.id]);
        const reply = await post('/login/mfa-confirm', {
          ...{ mfa_pending_token, id, credential: answer(options) },
          method: 'passkey',
        });
        expect(reply).toMatchObject(invalid);
      }
    });
  });

  describe('the second step', () => {
    test('takes a passkey without user verification and without user handle', async () => {
      const { member, key } = await owner();
      await setUpTotp(app, member);
      const mfa_pending_token = await pendingOf(member);
      const { id, options } = await begin('/login/mfa-passkey/start', { mfa_pending_token });
      expect(options.userVerification).toBe('preferred');
      const credential = key.get(options, { flags: present, userHandle: null });
      const reply = await post('/login/mfa-confirm', { mfa_pending_token, id, credential });
      expect(reply.status).toBe(200);
    });

    test('counts wrong passkeys as wrong codes: five per pending token, with every method', async () => {
      const { member, key } = await owner();
      await setUpTotp(app, member);
      const mfa_pending_token = await pendingOf(member);
      const codes = [];
      for (const method of ['passkey', 'totp', 'passkey', 'passkey', 'passkey', 'passkey']) {
        if (method === 'totp') {
          codes.push(
            (await post('/login/mfa-confirm', { mfa_pending_token, method, code: 'none' })).body.code,
          );
          continue;
        }
        const { id, options } = await begin('/login/mfa-passkey/start', { mfa_pending_token });
        const credential = key.get(options, { key: foreignKey });
        codes.push((await post('/login/mfa-confirm', { mfa_pending_token, id, credential })).body.code);
      }
      expect(codes).toEqual([
        ...['passkey_invalid', 'mfa_code_wrong', 'passkey_invalid', 'passkey_invalid'],
        ...['LOCKED', 'LOCKED'],
      ]);
      const { id, options } = await begin('/login/mfa-passkey/start', { mfa_pending_token });
      const right = await post('/login/mfa-confirm', { mfa_pending_token, id, credential: key.get(options) });
      expect(right).toMatchObject({ status: 400, body: { code: 'LOCKED' } });
      // Twice as many per account, whatever the number of pending tokens (CONTRACT §4.4).
      const replies: string[] = [];
      for (let i = 0; i < 6; i++) {
        const { email, password } = member;
        const again = await post('/login', { email, password });
        if (again.status !== 200) {
          replies.push(again.body.code);
          continue;
        }
        const token = again.body.mfa_pending_token;
        const begun = await begin('/login/mfa-passkey/start', { mfa_pending_token: token });
        const answer = key.get(begun.options, { key: foreignKey });
        const reply = await post('/login/mfa-confirm', {
          ...{ mfa_pending_token: token, id: begun.id, credential: answer },
        });
        replies.push(reply.body.code);
      }
      expect(replies.at(-1)).toBe('account_locked');
    });

    test('is refused to an account without passkeys', async () => {
      const member = await signUp(app);
      await setUpTotp(app, member);
      const mfa_pending_token = await pendingOf(member);
      expect(await post('/login/mfa-passkey/start', { mfa_pending_token })).toMatchObject(notFound);
      expect(await post('/login/mfa-passkey/start', { mfa_pending_token: member.token })).toMatchObject({
        status: 400,
        body: { code: 'invalid_token' },
      });
    });
  });

  test('an unknown credential and a removed one are answered alike', async () => {
    const { member, key } = await owner();
    const { body } = await app.rest('GET', '/authenticators', undefined, member);
    await app.rest('DELETE', `/authenticators/${body.items[0].id}`, undefined, member);
    const unknown = new Passkey(baseUrl);
    Object.assign(unknown, { rpId: key.rpId, userHandle: key.userHandle });
    const removed = shape(await signIn(key));
    expect(removed).toMatchObject(invalid);
    expect(shape(await signIn(unknown))).toEqual(removed);
    // So is one that is known, when its signature is wrong.
    const other = await owner();
    expect(shape(await signIn(other.key, { key: foreignKey }))).toEqual(removed);
  });

  if (isFirst)
    describe('whatever the form of a credential', () => {
      const odd: unknown[] = [
        ...[null, true, 0, -1, 1e300, '', 'x', 'x'.repeat(30_000), '\0', 'a\0b', '\ud800', '\udc00x', '='],
        ...[[], [[]], {}, { a: { b: [] } }, ['id'], '__proto__', 'A', 'AAAA', '{}', 'e30'],
        // CBOR that promises more than there is, is nested deeply, or has an endless length.
        ...[Buffer.from([0xbb, 255, 255, 255, 255, 255, 255, 255, 255]), Buffer.alloc(20_000, 0x81)].map(
          bytes => bytes.toString('base64url'),
        ),
        ...['bf', 'a0', 'ff', '5f', 'fb7ff8000000000000', 'a363666d74646e6f6e65'].map(hex =>
          Buffer.from(hex, 'hex').toString('base64url'),
        ),
      ];
      type Credential = Record<string, unknown> & { response: Record<string, unknown> };

      function* variants(right: Credential): Generator<unknown> {
        for (const key of Object.keys(right).filter(name => name !== 'clientExtensionResults')) {
          const { [key]: _, ...without } = right;
          yield without;
          for (const value of odd) yield { ...right, [key]: value };
        }
        // Transports are a hint that nothing verifies.
        for (const key of Object.keys(right.response).filter(name => name !== 'transports')) {
          const { [key]: _, ...without } = right.response;
          yield { ...right, response: without };
          for (const value of odd) yield { ...right, response: { ...right.response, [key]: value } };
        }
        for (const value of odd) yield { ...right, id: value, rawId: value };
      }

      test('a sign-in answers 400 or 422', async () => {
        const { member, key } = await owner();
        let count = 0;
        for (const credential of variants(key.get((await begin('/login/passkey/start')).options))) {
          const { id } = await begin('/login/passkey/start');
          expect(await post('/login/passkey', { id, credential }), JSON.stringify(credential)).toMatchObject(
            invalid,
          );
          count++;
        }
        expect(count).toBeGreaterThan(200);
        const { id } = await begin('/login/passkey/start');
        for (const credential of [null, [], 'x', 7, true]) {
          expect(await post('/login/passkey', { id, credential })).toMatchObject({ status: 422 });
        }
        const { body } = await app.rest('GET', '/me', undefined, member);
        expect(body.id).toBe(member.id);
      });

      test('a set-up answers 400', async () => {
        const member = await signUp(app);
        const key = new Passkey(baseUrl);
        const first = await begin('/passkeys/start', {}, member);
        for (const variant of variants(key.create(first.options))) {
          // Of a right challenge, so that what is wrong is the variant.
          const { id, options } = await begin('/passkeys/start', {}, member);
          const right = key.create(options);
          const { response, ...outer } = variant as Credential;
          const merged = renewed(outer, response, right, key.create(first.options));
          expect(
            await post('/passkeys/confirm', { id, credential: merged }, member),
            JSON.stringify(merged),
          ).toMatchObject(invalid);
        }
        const list = await app.rest('GET', '/authenticators', undefined, member);
        expect(list.body.items).toEqual([]);
      });

      /** Returns the variant, with what it left as it was taken from an answer to the present challenge. */
      function renewed(
        outer: Record<string, unknown>,
        response: unknown,
        right: Credential,
        first: Credential,
      ): unknown {
        if (typeof response !== 'object' || response === null || Array.isArray(response)) {
          return { ...outer, ...(response !== undefined && { response }) };
        }
        const entries = Object.entries(response).map(([name, value]) => [
          name,
          value === first.response[name] ? right.response[name] : value,
        ]);
        return { ...outer, response: Object.fromEntries(entries) };
      }
    });

  describe('an account that is', () => {
    const change = ({ id }: Member, set: object) => app.gatehouse.repositories.users.change(id, { set });

    test('disabled, or deleted, is refused', async () => {
      const { member, key } = await owner();
      await change(member, { isActive: false });
      expect(await signIn(key)).toMatchObject({ status: 403, body: { code: 'account_disabled' } });
      await change(member, { isActive: true });
      const begun = await begin('/login/passkey/start');
      const current_password = member.password;
      const gone = await app.rest('DELETE', '/account', { current_password }, member);
      expect(gone.status).toBe(200);
      expect(
        await post('/login/passkey', { id: begun.id, credential: key.get(begun.options) }),
      ).toMatchObject(invalid);
      expect(await signIn(key)).toMatchObject(invalid);
    });

    test('cut off, disabled or deleted finishes nothing that was begun before', async () => {
      const ends: ((member: Member) => Promise<unknown>)[] = [
        ({ id }) => app.gatehouse.repositories.users.change(id, { cutOffAt: app.clock.now() }),
        member => change(member, { isActive: false }),
        ({ password: current_password, ...member }) =>
          app.rest('DELETE', '/account', { current_password }, member),
      ];
      for (const end of ends) {
        const { member, key } = await owner();
        const setup = await begin('/passkeys/start', {}, member);
        await setUpTotp(app, member);
        const mfa_pending_token = await pendingOf(member);
        const step = await begin('/login/mfa-passkey/start', { mfa_pending_token });
        const { access_token: token } = (await signIn(key)).body;
        await end({ ...member, token });
        const fresh = new Passkey(baseUrl);
        expect(
          (await post('/passkeys/confirm', { id: setup.id, credential: fresh.create(setup.options) }, member))
            .status,
        ).toBe(401);
        expect(
          await post('/login/mfa-confirm', {
            ...{ mfa_pending_token, id: step.id, credential: key.get(step.options) },
          }),
        ).toMatchObject({ status: 400, body: { code: 'invalid_token' } });
        expect(await signIn(fresh)).toMatchObject(invalid);
      }
    });

    test('not verified sets up no passkey, and signs in with none', async () => {
      const { member, key } = await owner();
      const { id, options } = await begin('/passkeys/start', {}, member);
      await change(member, { isVerified: false });
      const unverified = { status: 403, body: { code: 'email_not_verified' } };
      const credential = new Passkey(baseUrl).create(options);
      expect(await post('/passkeys/start', {}, member)).toMatchObject(unverified);
      expect(await post('/passkeys/confirm', { id, credential }, member)).toMatchObject(unverified);
      expect(await signIn(key)).toMatchObject(unverified);
    });

    test('taken over by an operator, or by its first reset, loses the passkeys of a stranger', async () => {
      const { member, key } = await owner();
      await change(member, { isVerified: false });
      const operator = (app.gatehouse as unknown as { operator: Operator }).operator;
      await operator.takeOver({ email: member.email });
      expect(await signIn(key)).toMatchObject(invalid);

      const second = await owner();
      await change(second.member, { isVerified: false });
      await post('/forgot-password', { email: second.member.email });
      let mail = await app.nextMail(second.member.email);
      while (!/[?&]token=/.test(mail.text)) mail = await app.nextMail(second.member.email);
      const reset = await post('/reset-password', {
        token: tokenOf(mail),
        new_password: 'staple battery horse',
      });
      expect(reset.status).toBe(200);
      expect(await signIn(second.key)).toMatchObject(invalid);
    });
  });

  interface Operator {
    takeOver(input: { email: string }): Promise<string>;
  }
});
