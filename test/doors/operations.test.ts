import { randomUUID } from 'node:crypto';
import { decodeJwt, UnsecuredJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Claims } from '../../src/crypto/claims.ts';
import type { TokenSettings } from '../../src/crypto/tokens.ts';
import {
  type App,
  dataEncryptionKey,
  logIn,
  type Member,
  password,
  signUp,
  startApp,
  tokenOf,
} from '../support/app.ts';
import { type Call, type Door, doors, type OperationName, resultOf } from '../support/doors.ts';
import { everyFactor } from '../support/every-factor.ts';
import { newAddress } from '../support/people.ts';
import { signer } from '../support/signer.ts';
import { unheardWebhook } from '../support/webhooks.ts';

// Each operation through both doors with the same input: what they answer must be the same.

let app: App;
let member: Member;
beforeAll(async () => {
  const strong = {
    ...everyFactor,
    ...{ enableSessionList: true, dataEncryptionKey },
    mailStore: 'database' as const,
    auditStore: 'database' as const,
    ...unheardWebhook,
    ...{ enableBrowserSessions: true, notifyNewSignIn: true },
  };
  app = await startApp({ settings: strong });
  member = await signUp(app);
});
afterAll(() => app?.close());

const newToken = () => randomUUID();

/** What an operation takes: a valid input, and for each field which values are none of its type. */
interface InputSpec {
  valid: () => Record<string, unknown>;
  fields: Record<string, { required: boolean; wrong: Record<string, unknown> }>;
}

// An attacker sends what a database might take for a query instead of a value.
const operators = { 'an operator': { $ne: null }, 'another operator': { $gt: '' } };
const wrongTypes = { 'a number': 5, 'an empty object': {}, 'a list': ['x'], ...operators };
const text = { required: true, wrong: { ...wrongTypes, true: true } };
const optionalText = { ...text, required: false };
const optionalFlag = { required: false, wrong: { ...wrongTypes, 'a text': 'true' } };

const inputs = {
  register: {
    valid: () => ({ email: newAddress(), password }),
    fields: { email: text, password: text, full_name: optionalText },
  },
  verify: { valid: () => ({ token: newToken() }), fields: { token: text } },
  reportNotMe: {
    valid: () => ({ token: newToken() }),
    fields: { token: text, password: optionalText, new_password: optionalText },
  },
  resendVerification: { valid: () => ({ email: newAddress() }), fields: { email: text } },
  login: { valid: () => ({ email: newAddress(), password }), fields: { email: text, password: text } },
  logout: { valid: () => ({}), fields: { everywhere: optionalFlag } },
  updateProfile: { valid: () => ({}), fields: { full_name: optionalText } },
  confirmTotpSetup: {
    valid: () => ({ id: 'none', code: '000000' }),
    fields: { code: text, name: optionalText, end_other_sessions: optionalFlag },
  },
  confirmLoginMfa: {
    valid: () => ({ mfa_pending_token: newToken(), code: '000000' }),
    fields: { mfa_pending_token: text, method: optionalText, code: optionalText },
  },
  startMfaPasskey: { valid: () => ({ mfa_pending_token: newToken() }), fields: { mfa_pending_token: text } },
  reauthenticate: { valid: () => ({ password }), fields: { password: optionalText } },
} satisfies Partial<Record<OperationName, InputSpec>>;

/** What doesn't fit the schema: GraphQL notices before the operation does. */
const misfit = { REST: ['invalid_input', 422], GraphQL: ['invalid_document', 400] } as const;

async function expectMisfit(door: Door, operation: OperationName, input: unknown, path?: string) {
  const answer = await door.at(app)(operation, input, { token: member.token });
  const [code, status] = misfit[door.name];
  expect(answer).toMatchObject({ ok: false, code, status });
  if (door.name === 'REST' && path) {
    expect(answer).toMatchObject({ errors: [{ path, rule: expect.any(String) }] });
  }
}

describe.each(doors)('through $name', door => {
  describe.each(Object.entries(inputs) as [keyof typeof inputs, InputSpec][])('%s', (operation, spec) => {
    for (const [field, { required, wrong }] of Object.entries(spec.fields)) {
      test.each(Object.entries(wrong))(`refuses %s as ${field}`, async (_, value) => {
        await expectMisfit(door, operation, { ...spec.valid(), [field]: value }, field);
      });

      if (!required) continue;
      test(`refuses an absent ${field}, and null for it`, async () => {
        await expectMisfit(door, operation, { ...spec.valid(), [field]: undefined }, field);
        await expectMisfit(door, operation, { ...spec.valid(), [field]: null }, field);
      });
    }

    test('refuses a field that it does not have', async () => {
      await expectMisfit(door, operation, { ...spec.valid(), is_superuser: true }, 'is_superuser');
    });

    test.each([
      ['a list', []],
      ['a text', 'text'],
      ['a number', 5],
    ])('refuses %s as its input', async (_, input) => {
      await expectMisfit(door, operation, input);
    });
  });
});

/** Calls through both doors, each with an input of its own where `input` makes one, and compares what they answer. */
async function callBoth(operation: OperationName, input: unknown, options?: { token?: string }) {
  const answers = [];
  for (const door of doors) {
    const given = typeof input === 'function' ? await input(door) : input;
    answers.push(await door.at(app)(operation, given, options));
  }
  return answers;
}

describe('both doors agree', () => {
  const long = (length: number) => 'a'.repeat(length);
  type Refusal = [OperationName, string, unknown, string, string?];
  const refusals: Refusal[] = [
    ['register', 'an empty address', { email: '', password }, 'invalid_input', 'email'],
    ['register', 'an address without @', { email: 'ada.example.org', password }, 'invalid_input', 'email'],
    ['register', 'a long address', { email: `${long(243)}@example.org`, password }, 'invalid_input', 'email'],
    ['register', 'a reserved domain', { email: 'a@oauth.invalid', password }, 'invalid_input', 'email'],
    [
      'register',
      'an empty password',
      () => ({ email: newAddress(), password: '' }),
      'invalid_input',
      'password',
    ],
    [
      'register',
      'a short password',
      () => ({ email: newAddress(), password: long(7) }),
      'invalid_input',
      'password',
    ],
    [
      'register',
      'a long password',
      () => ({ email: newAddress(), password: long(129) }),
      'invalid_input',
      'password',
    ],
    [
      'register',
      'a long name',
      () => ({ email: newAddress(), password, full_name: long(201) }),
      'invalid_input',
      'full_name',
    ],
    ['register', 'a taken address', () => ({ email: member.email, password }), 'email_taken'],
    ['verify', 'an empty token', { token: '' }, 'invalid_input', 'token'],
    ['verify', 'a very long token', { token: long(5000) }, 'invalid_input', 'token'],
    ['verify', 'a token that nobody was given', { token: long(43) }, 'invalid_token'],
    ['verify', 'a session token', () => ({ token: member.token }), 'invalid_token'],
    ['resendVerification', 'a malformed address', { email: 'ada' }, 'invalid_input', 'email'],
    ['login', 'a malformed address', { email: 'ada', password }, 'invalid_input', 'email'],
    ['login', 'an unknown address', () => ({ email: newAddress(), password }), 'invalid_credentials'],
    ['login', 'an empty password', () => ({ email: newAddress(), password: '' }), 'invalid_credentials'],
    [
      'login',
      'a very long password',
      () => ({ email: newAddress(), password: long(9000) }),
      'invalid_credentials',
    ],
    ['confirmTotpSetup', 'an unknown set-up', { id: newToken(), code: '000000' }, 'not_found'],
    ['confirmTotpSetup', 'a long code', { id: newToken(), code: long(65) }, 'invalid_input', 'code'],
    [
      'confirmTotpSetup',
      'a long name',
      { id: newToken(), code: '000000', name: long(101) },
      'invalid_input',
      'name',
    ],
    ['confirmPasskeySetup', 'an unknown set-up', { id: newToken(), credential: {} }, 'not_found'],
    ['confirmPasskeySetup', 'an id that can be none', { id: 'a b', credential: {} }, 'not_found'],
    ['confirmPasskeySetup', 'a long id', { id: long(201), credential: {} }, 'not_found'],
    // JSON may hold anything, so that GraphQL leaves it to the operation.
    ...[5, 'text', [], true].flatMap((credential): Refusal[] => [
      ['confirmPasskeySetup', `${credential}`, { id: 'none', credential }, 'invalid_input', 'credential'],
      ['loginWithPasskey', `${credential}`, { id: 'none', credential }, 'invalid_input', 'credential'],
    ]),
    ['loginWithPasskey', 'an unknown challenge', { id: newToken(), credential: {} }, 'not_found'],
    ['renameAuthenticator', 'an unknown id', { id: newToken(), name: 'Key' }, 'not_found'],
    ['renameAuthenticator', 'an empty name', { id: newToken(), name: ' ' }, 'invalid_input', 'name'],
    ['renameAuthenticator', 'a name of two lines', { id: newToken(), name: 'a\nb' }, 'invalid_input', 'name'],
    [
      ...(['renameAuthenticator', 'a name that turns its line around'] as const),
      ...([{ id: newToken(), name: 'Key\u202e' }, 'invalid_input', 'name'] as const),
    ],
    ['removeAuthenticator', 'an unknown id', { id: newToken() }, 'not_found'],
    ['replaceRecoveryCodes', 'an account without an authenticator', undefined, 'not_found'],
    [
      'confirmLoginMfa',
      'a token that nobody was given',
      { mfa_pending_token: 'x', code: '1' },
      'invalid_token',
    ],
    ['startMfaPasskey', 'a session token', () => ({ mfa_pending_token: member.token }), 'invalid_token'],
    ['reauthenticate', 'a wrong password', { password: 'a wrong password' }, 'wrong_password'],
    ['reauthenticate', 'an unknown challenge', { id: newToken(), credential: {} }, 'not_found'],
    ['endSession', 'an unknown id', { id: newToken() }, 'not_found'],
    ['updateProfile', 'a long name', { full_name: long(201) }, 'invalid_input', 'full_name'],
    ['updateProfile', 'a name of two lines', { full_name: 'Ada\nKing' }, 'invalid_input', 'full_name'],
  ];
  test.each(refusals)('%s refuses %s', async (operation, _, input, code, path) => {
    const [rest, graphql] = await callBoth(operation, input, { token: member.token });
    const errors = path && [expect.objectContaining({ path, rule: expect.any(String) })];
    expect(rest).toEqual({ ok: false, code, status: expect.any(Number), ...(errors && { errors }) });
    expect(graphql).toEqual(rest);
  });

  const session = { access_token: expect.any(String), token_type: 'bearer', expires_in: 7200 };
  const message = { message: expect.any(String) };
  const pendingToken = async (door: Door) => {
    const email = newAddress();
    await door.at(app)('register', { email, password });
    return { token: tokenOf(await app.nextMail(email)) };
  };
  const user = {
    id: expect.any(String),
    email: expect.any(String),
    full_name: null,
    phone_number: null,
    is_active: true,
    is_verified: true,
    is_superuser: false,
    is_mfa_enabled: false,
    created_at: expect.any(String),
    updated_at: expect.any(String),
    last_login: null,
    tokens_invalidated_after: null,
  };
  const successes: [OperationName, string, unknown, object][] = [
    [
      'register',
      'an address with its case and spaces made even',
      (door: Door) => ({ email: ` Ada.${door.name}@EXAMPLE.org\n`, password, full_name: null }),
      {
        status: 'pending_verification',
        email: expect.stringMatching(/^ada\.(rest|graphql)@example\.org$/),
        expires_at: expect.any(String),
      },
    ],
    ['verify', 'the token of a link', pendingToken, user],
    ['resendVerification', 'an unknown address', () => ({ email: newAddress() }), message],
    [
      'login',
      'address and password',
      () => ({ email: ` ${member.email.toUpperCase()} `, password }),
      session,
    ],
    ['me', 'a session', undefined, { ...user, last_login: expect.any(String) }],
    [
      'updateProfile',
      'a name, trimmed',
      { full_name: ' Ada ' },
      { ...user, last_login: expect.any(String), full_name: 'Ada' },
    ],
    [
      'updateProfile',
      'an empty name as none',
      { full_name: '' },
      { ...user, last_login: expect.any(String) },
    ],
    ['updateProfile', 'no change', {}, { ...user, last_login: expect.any(String) }],
  ];
  test.each(successes)('%s takes %s', async (operation, _, input, value) => {
    const [rest, graphql] = await callBoth(operation, input, { token: member.token });
    expect(rest).toEqual({ ok: true, value });
    expect(graphql).toEqual({ ok: true, value });
    if (typeof input !== 'function') expect(graphql).toEqual(rest);
  });

  test.each([
    ['no input', undefined, 'Signed out.'],
    ['an empty object', {}, 'Signed out.'],
    ['null for everywhere', { everywhere: null }, 'Signed out.'],
    ['false for everywhere', { everywhere: false }, 'Signed out.'],
    ['true for everywhere', { everywhere: true }, 'Signed out everywhere.'],
  ])('logout takes %s', async (_, input, message) => {
    for (const door of doors) {
      const token = await logIn(app, await signUp(app));
      expect(await door.at(app)('logout', input, { token })).toEqual({ ok: true, value: { message } });
    }
  });
});

describe.each(doors)('a session check through $name', door => {
  let call: Call;
  beforeAll(() => {
    call = door.at(app);
  });

  const now = () => app.clock.now();
  const at = (ms: number) => ({ now: () => new Date(now().getTime() + ms) });
  const sign = (purpose: Claims['purpose'], fields: object = {}, settings: Partial<TokenSettings> = {}) =>
    signer(app.clock, settings).sign(purpose, { sub: member.id, issuedAt: now(), ...fields });
  const [header, payload, signature] = [0, 1, 2].map(part => () => member.token.split('.')[part]!);

  const refused: [string, () => string | undefined | Promise<string>][] = [
    ['no token', () => undefined],
    ['what is no token', () => 'garbage'],
    ['three parts of nothing', () => '..'],
    [
      'a token with another signature',
      () => `${header!()}.${payload!()}.${signature!().replace(/./, c => (c === 'A' ? 'B' : 'A'))}`,
    ],
    ['a token without its signature', () => `${header!()}.${payload!()}.`],
    [
      'a token of another secret',
      () => sign('session', {}, { secret: 'another secret of more than 32 characters' }),
    ],
    ['an expired token', () => sign('session', {}, { clock: at(-7_200_000) })],
    [
      'a token whose end lies further ahead than a session lasts',
      () => sign('session', {}, { clock: at(300_001) }),
    ],
    ['a reset token', () => sign('password_reset')],
    ['an address-change token', () => sign('email_change', { new_email: 'eve@example.org' })],
    ['a phone set-up token', () => sign('phone_setup')],
    ['a token of the first login step', () => sign('login_mfa')],
    ['an unsigned token (alg none)', () => new UnsecuredJWT(decodeJwt(member.token)).encode()],
    ['a token of nobody', () => sign('session', { sub: randomUUID() })],
    [
      'a token that was logged out',
      async () => {
        const { token } = await signUp(app);
        await resultOf(call('logout', {}, { token }));
        return token;
      },
    ],
    [
      'a token of before the cutoff',
      async () => {
        const { id, token } = await signUp(app);
        await app.gatehouse.repositories.users.change(id, { cutOffAt: now() });
        return token;
      },
    ],
    [
      'a token of a disabled account',
      async () => {
        const { id, token } = await signUp(app);
        await app.gatehouse.repositories.users.change(id, { set: { isActive: false } });
        return token;
      },
    ],
    [
      'a token of a deleted account',
      async () => {
        const { id, token } = await signUp(app);
        await app.gatehouse.repositories.users.remove(id);
        return token;
      },
    ],
  ];
  // Shows asvs/7.2.1.
  test.each(refused)('refuses %s', async (_, make) => {
    const token = await make();
    for (const operation of ['me', 'updateProfile', 'logout'] as const) {
      expect(await call(operation, operation === 'me' ? undefined : {}, { token })).toEqual({
        ok: false,
        code: 'unauthenticated',
        status: 401,
      });
    }
  });

  test('is not made where anyone may call: a bad token changes nothing', async () => {
    const token = 'garbage';
    const { email } = member;
    expect(await call('login', { email, password }, { token })).toMatchObject({ ok: true });
    expect(await call('resendVerification', { email }, { token })).toMatchObject({ ok: true });
    expect(await call('register', { email, password }, { token })).toMatchObject({ code: 'email_taken' });
    expect(await call('verify', { token: newToken() }, { token })).toMatchObject({ code: 'invalid_token' });
  });
});
