import { expect, test } from 'vitest';
import type { ConfigInput } from '../../src/config/schema.ts';
import type { Assembled } from '../../src/gatehouse.ts';
import type { Users } from '../../src/server-api/users.ts';
import type { Operator } from '../../src/services/operator.ts';
import type { User } from '../../src/tables/user.ts';
import { type App, type Member, signUp, startApp } from '../support/app.ts';
import { type Backend, describeStory } from '../support/backends.ts';
import { newAddress, signUpSuperuser } from '../support/people.ts';
import { addFactors, strongSettings } from '../support/strong.ts';

test('an operator is asked for a password only where one is needed', async () => {
  const app = await startApp();
  const { operator } = app.gatehouse as Assembled;
  let asked = 0;
  const askPassword = async () => {
    asked++;
    return 'correct horse battery';
  };
  const verified = await signUp(app);
  expect(await operator.createAdmin({ email: verified.email, askPassword })).toBe('promoted');
  expect(asked).toBe(0);

  const unverified = await signUp(app);
  await app.gatehouse.repositories.users.change(unverified.id, { set: { isVerified: false } });
  await expect(operator.createAdmin({ email: unverified.email, askPassword })).rejects.toThrow(/--take-over/);
  expect(await operator.createAdmin({ email: 'new@example.org', askPassword })).toBe('created');
  expect(asked).toBe(1);

  const tooShort = { email: 'newer@example.org', askPassword: async () => 'short' };
  await expect(operator.createAdmin(tooShort)).rejects.toMatchObject({ code: 'invalid_input' });
  await expect(operator.createAdmin({ email: 'newer@example.org' })).rejects.toThrow(/give --password/);
  await app.close();
});

/** An act on an account: how an operator and, where it can, the host do it, and which request does the same. */
interface Act {
  host?: (users: Users, id: string) => Promise<unknown>;
  cli: (operator: Operator, who: { id: string }) => Promise<unknown>;
  rest: [method: string, path: string, body?: object];
  /** What the account is like before. */
  before?: Partial<User>;
  /** The further preparation. */
  prepare?: (app: App, member: Member) => Promise<unknown>;
}

const acts: Record<string, Act> = {
  unlock: { cli: (operator, who) => operator.unlock(who), rest: ['POST', '/unlock'] },
  revoke: {
    host: (users, id) => users.endSessions(id),
    cli: (operator, who) => operator.revoke(who),
    rest: ['POST', '/revoke-sessions'],
  },
  disable: {
    host: (users, id) => users.disable(id),
    cli: (operator, who) => operator.setActive({ ...who, isActive: false }),
    rest: ['PATCH', '', { is_active: false }],
  },
  enable: {
    host: (users, id) => users.enable(id),
    cli: (operator, who) => operator.setActive({ ...who, isActive: true }),
    rest: ['PATCH', '', { is_active: true }],
    before: { isActive: false },
  },
  'disable-mfa': {
    cli: (operator, who) => operator.disableMfa(who),
    rest: ['DELETE', '/phone'],
    before: { phoneNumber: '+447700900123', isMfaEnabled: true },
  },
  'disable-mfa of an account without one': {
    cli: (operator, who) => operator.disableMfa(who),
    rest: ['DELETE', '/phone'],
  },
  'send-reset': { cli: (operator, who) => operator.sendReset(who), rest: ['POST', '/send-reset'] },
  'resend-verification': {
    cli: (operator, who) => operator.resendVerification(who),
    rest: ['POST', '/resend-verification'],
    before: { isVerified: false },
  },
  'resend-verification of a verified account': {
    cli: (operator, who) => operator.resendVerification(who),
    rest: ['POST', '/resend-verification'],
  },
  delete: {
    host: (users, id) => users.remove(id),
    cli: (operator, who) => operator.remove(who),
    rest: ['DELETE', ''],
  },
};

/** While authenticators are switched on, `disable-mfa` removes them, too. */
const actsOnFactors: Record<string, Act> = {
  'disable-mfa of an account with every factor': {
    cli: (operator, who) => operator.disableMfa(who),
    rest: ['DELETE', '/authenticators'],
    before: { phoneNumber: '+447700900123' },
    prepare: addFactors,
  },
  'disable-mfa of an account with an authenticator app': {
    cli: (operator, who) => operator.disableMfa(who),
    rest: ['DELETE', '/authenticators'],
    prepare: addFactors,
  },
  'disable-mfa of an account with a phone': {
    cli: (operator, who) => operator.disableMfa(who),
    rest: ['DELETE', '/authenticators'],
    before: { phoneNumber: '+447700900123', isMfaEnabled: true },
  },
  'disable-mfa of an account without any': {
    cli: (operator, who) => operator.disableMfa(who),
    rest: ['DELETE', '/authenticators'],
  },
};

const eventNames = [
  ...(['user_updated', 'user_deleted', 'mfa_disabled', 'password_reset_requested'] as const),
  ...(['authenticator_removed'] as const),
  ...(['verification_requested', 'audit'] as const),
];

/** Does each act at every door that has it, and expects the same consequences. Returns how many. */
async function compare(
  acts: Record<string, Act>,
  { backend, settings }: { backend: Backend; settings: ConfigInput },
): Promise<Record<string, number>> {
  const app = await startApp({ backend, settings: { enableAdminRouter: true, ...settings } });
  const { operator, repositories } = app.gatehouse as Assembled;
  const root = await signUpSuperuser(app);

  /** Somebody the act is done to; what it did is told once all mails have left. */
  async function consequencesOf(act: (id: string) => Promise<unknown>, { before = {}, prepare }: Act) {
    const member = await signUp(app);
    const { id, email } = member;
    await prepare?.(app, member);
    await repositories.users.change(id, { set: before });
    const events: object[] = [];
    const stops = eventNames.map(name =>
      app.gatehouse.on(name, event => {
        const { by, act, outcome, subject, actor } = event as Record<string, unknown>;
        const isRight = name !== 'audit' || (subject === id && actor === (by === 'admin' ? root.id : null));
        // A command that is refused says so itself, and leaves no record.
        if (outcome !== 'refused') events.push({ name, act, outcome, hasBy: by !== undefined, isRight });
      }),
    );
    await act(id);
    for (const stop of stops) stop();
    const user = await repositories.users.find(id);
    const {
      id: _id,
      email: _email,
      hashedPassword,
      passwordForm,
      createdAt,
      updatedAt,
      ...state
    } = user ?? ({} as User);
    const times = [state.tokensInvalidatedAfter, state.lastIssuedAt, state.lastLogin].map(Boolean);
    const { tokensInvalidatedAfter, lastIssuedAt, lastLogin, ...flags } = state;
    const factors = [
      await repositories.authenticators.listByUser(id),
      await repositories.recovery_codes.find(id),
    ];
    const mails = () => app.mails.filter(({ to }) => to === email).map(({ subject }) => subject);
    return { mails, told: { events, times, flags, factors } };
  }

  const compared = [];
  for (const [name, act] of Object.entries(acts)) {
    const [method, path, body] = act.rest;
    const byAdmin = await consequencesOf(
      id => app.rest(method, `/admin/users/${id}${path}`, body, { token: root.token }),
      act,
    );
    const byOperator = await consequencesOf(id => act.cli(operator, { id }).catch(() => {}), act);
    const byHost = act.host && (await consequencesOf(id => act.host!(app.gatehouse.users, id), act));
    compared.push({ name, byAdmin, byOperator, byHost });
  }
  // Every mail has left then.
  await app.close();
  for (const { name, byAdmin, byOperator, byHost } of compared) {
    const whole = ({ told, mails }: typeof byAdmin) => ({ name, ...told, mails: mails().sort() });
    expect(whole(byOperator)).toEqual(whole(byAdmin));
    if (byHost) expect(whole(byHost)).toEqual(whole(byAdmin));
  }
  return Object.fromEntries(
    compared.map(({ name, byOperator }) => [name, byOperator.told.events.length + byOperator.mails().length]),
  );
}

describeStory('an act on an account', backend => {
  test('has the same consequences at the command line and in the server API as in administration', async () => {
    const heard = await compare(acts, { backend, settings: { enableSms2fa: true } });
    // The table must not be empty: every act that sends mail has sent one.
    expect(heard).toMatchObject({ unlock: 1, disable: 2, 'disable-mfa': 3, 'send-reset': 3, delete: 3 });
  });

  test('… with authenticators, too: every second factor goes', async () => {
    const heard = await compare(actsOnFactors, {
      backend,
      settings: { ...strongSettings, enableSms2fa: true },
    });
    expect(heard).toEqual({
      // Beside the mail of the app that was added, and the audit record: a mail and an event for
      // each authenticator that was removed, a mail for the phone, and the event that the second step is off.
      'disable-mfa of an account with every factor': 8,
      'disable-mfa of an account with an authenticator app': 7,
      'disable-mfa of an account with a phone': 3,
      'disable-mfa of an account without any': 1,
    });
  });

  test('is done to the account that its id or its address names, and to no other', async () => {
    const app = await startApp({ backend });
    const { operator, repositories } = app.gatehouse as Assembled;
    const [one, other] = [await signUp(app), await signUp(app)];
    expect(await operator.setActive({ id: one.id, isActive: false })).toMatchObject({ email: one.email });
    expect(await operator.setActive({ email: ` ${one.email.toUpperCase()}`, isActive: true })).toMatchObject({
      id: one.id,
    });
    await operator.remove({ id: one.id });
    expect((await repositories.users.list({})).map(({ id }) => id)).toEqual([other.id]);

    const missing = [{ id: one.id }, { id: 'x' }, { email: one.email }];
    for (const who of missing) await expect(operator.show(who)).rejects.toMatchObject({ code: 'not_found' });
    for (const who of [{ id: '\0' }, { email: 'nobody' }]) {
      await expect(operator.show(who)).rejects.toMatchObject({ code: 'invalid_input' });
    }
    await app.close();
  });

  test('shows each lock with its end, and none after it', async () => {
    const app = await startApp({ backend, settings: { enableSms2fa: true } });
    const { operator, repositories } = app.gatehouse as Assembled;
    const member = await signUp(app);
    const locks = async () => (await operator.show({ id: member.id })).locked_until;
    const open = { login: null, current_password: null, code: null };
    const at = (seconds: number) => new Date(app.clock.now().getTime() + seconds * 1000).toISOString();
    expect(await locks()).toEqual(open);

    const wrong = 'wrong horse battery';
    for (let i = 0; i < 5; i++) {
      await app.rest('POST', '/login', { email: member.email, password: wrong });
      // Four failures are no lock.
      if (i === 3) expect(await locks()).toEqual(open);
    }
    app.clock.advance(60_000);
    for (let i = 0; i < 5; i++) {
      const body = { current_password: wrong, new_password: 'another password' };
      await app.rest('POST', '/change-password', body, member);
    }
    expect(await locks()).toEqual({ login: at(840), current_password: at(900), code: null });

    await repositories.users.change(member.id, { set: { phoneNumber: '+447700900123', isMfaEnabled: true } });
    app.clock.advance(840_000);
    for (let i = 0; i < 2; i++) {
      const { body } = await app.rest('POST', '/login', member_(member));
      const { text } = await app.nextText('+447700900123');
      const code = /\d{6}/.exec(text)![0] === '000000' ? '000001' : '000000';
      for (let guess = 0; guess < 5; guess++) {
        await app.rest('POST', '/login/mfa-confirm', { mfa_pending_token: body.mfa_pending_token, code });
      }
    }
    expect(await locks()).toEqual({ login: null, current_password: at(60), code: at(900) });
    await operator.unlock({ id: member.id });
    expect(await locks()).toEqual(open);
    await app.close();
  });

  test('says what became of a mail: also where an address has had too many', async () => {
    const app = await startApp({ backend, settings: { mailsPerAddressPerHour: 2 } });
    const { operator, repositories } = app.gatehouse as Assembled;
    const member = await signUp(app);
    const reset = () => operator.sendReset({ id: member.id });
    await reset();
    await reset();
    await expect(reset()).rejects.toMatchObject({ code: 'rate_limited', retryAfterSeconds: 3600 });
    app.clock.advance(3_600_000);
    await reset();

    await repositories.users.change(member.id, { set: { isActive: false } });
    await expect(reset()).rejects.toMatchObject({ code: 'account_disabled' });

    // A registration that waits has no id yet.
    const email = newAddress();
    await app.rest('POST', '/register', { email, password: 'correct horse battery' });
    const resend = () => operator.resendVerification({ email });
    expect(await resend()).toEqual({ email });
    await expect(resend()).rejects.toMatchObject({ code: 'rate_limited' });
    await app.nextMail(email);
    const { text } = await app.nextMail(email);
    const token = /token=([\w-]+)/.exec(text)![1];
    expect((await app.rest('POST', '/verify', { token })).status).toBe(200);
    await expect(resend()).rejects.toMatchObject({ code: 'already_verified' });
    await app.close();
  });
});

test('an operator takes the second factor off where text messages are switched off by now', async () => {
  const app = await startApp();
  const { operator, repositories } = app.gatehouse as Assembled;
  const { id, email } = await signUp(app);
  await repositories.users.change(id, { set: { phoneNumber: '+447700900123', isMfaEnabled: true } });
  await operator.disableMfa({ email });
  expect(await repositories.users.find(id)).toMatchObject({ phoneNumber: null, isMfaEnabled: false });
  await app.close();
});

test('an operator sends no reset link where password reset is off', async () => {
  const app = await startApp({ settings: { enablePasswordReset: false } });
  const { operator } = app.gatehouse as Assembled;
  const { id } = await signUp(app);
  await expect(operator.sendReset({ id })).rejects.toThrow(/enable_password_reset/);
  await app.close();
});

const member_ = ({ email, password }: Member) => ({ email, password });
