import { decodeJwt } from 'jose';
import type { WebAuthnEmulator } from 'nid-webauthn-emulator';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Assembled } from '../../src/gatehouse.ts';
import { type App, newPassword, signUp, tokenOf } from '../support/app.ts';
import { describeStory } from '../support/backends.ts';
import { type Call, doorsOn, resultOf } from '../support/doors.ts';
import { type External, startExternal } from '../support/external.ts';
import { codeIn, newAddress, newSubject, nextToken } from '../support/people.ts';
import {
  answerOf,
  nextCodeOf,
  passkeyProof,
  setUpPasskey,
  setUpPhone,
  setUpTotp,
  strong,
} from '../support/strong.ts';

// Each way into an account, for each state of its factors, through both doors: where it ends, as CONTRACT §9 has it. No
// way ends above what it proved.

/** The states of an account's factors, and the methods of the second step that is due after a first factor. */
const states = {
  none: [],
  phone: ['sms'],
  totp: ['totp', 'recovery_code'],
  // A passkey alone makes no second step due.
  passkey: [],
  'totp and phone': ['totp', 'sms', 'recovery_code'],
  'totp and passkey': ['passkey', 'totp', 'recovery_code'],
  'none, under policy': 'restricted',
  'passkey, under policy': ['passkey', 'recovery_code'],
} as const;
type State = keyof typeof states;

const stateNames = Object.keys(states) as State[];
/** States of accounts that have just come to be. */
const newborn: State[] = ['none', 'none, under policy'];

/** An account in one of these states, and everything its owner has. */
interface Person {
  id: string;
  email: string;
  password: string;
  token: string;
  subject: string;
  phone?: string;
  secret?: string;
  device?: WebAuthnEmulator;
}

/** A session, or the challenge of the second step. */
interface Answered {
  access_token: string;
  mfa_pending_token: string;
}

interface Way {
  /** The states in which it can be gone; all when absent. */
  in?: State[];
  /** What it proves by itself. */
  proves: string[];
  /** Whether that is two factors. */
  isComplete?: true;
  /** Whether it removes the factors of the account first. */
  removesFactors?: true;
  /** Goes this way, and returns what the account owner is answered at its end. */
  go(call: Call, external: External, person: Person): Promise<object>;
}

const login = ({ email, password }: Pick<Person, 'email' | 'password'>, call: Call) =>
  resultOf(call('login', { email, password }));

/** A way that gives no session: one has to sign in afterwards. */
async function withoutSession(answer: object): Promise<void> {
  expect(JSON.stringify(answer)).not.toMatch(/access_token|pending_token/);
}

const ways: Record<string, Way> = {
  password: { proves: ['pwd'], go: (call, _, person) => login(person, call) },
  provider: {
    proves: ['fed'],
    async go(call, external, { subject }) {
      const ended = await external.signIn(subject);
      return resultOf(call('exchangeOAuth', { id: ended.searchParams.get('id') }));
    },
  },
  passkey: {
    in: ['passkey', 'totp and passkey', 'passkey, under policy'],
    proves: ['swk', 'mfa'],
    isComplete: true,
    go: async (call, { app }, { device }) =>
      resultOf(call('loginWithPasskey', await passkeyProof(app, device!))),
  },
  reset: {
    proves: ['pwd'],
    async go(call, { app }, { email }) {
      await resultOf(call('forgotPassword', { email }));
      const input = { token: await nextToken(app, email), new_password: newPassword };
      await withoutSession(await resultOf(call('resetPassword', input)));
      return login({ email, password: newPassword }, call);
    },
  },
  'email change': {
    in: stateNames.filter(state => states[state] !== 'restricted'),
    proves: ['pwd'],
    async go(call, { app }, { password, token }) {
      const email = newAddress();
      const input = { current_password: password, new_email: email };
      await withoutSession(await resultOf(call('changeEmail', input, { token })));
      const confirmed = await resultOf(call('confirmEmailChange', { token: await nextToken(app, email) }));
      await withoutSession(confirmed);
      return login({ email, password }, call);
    },
  },
  verification: {
    in: newborn,
    proves: ['pwd'],
    async go(call, { app }) {
      const [email, password] = [newAddress(), newPassword];
      await withoutSession(await resultOf(call('register', { email, password })));
      const token = tokenOf(await app.nextMail(email));
      await withoutSession(await resultOf(call('verify', { token })));
      return login({ email, password }, call);
    },
  },
  promotion: {
    in: newborn,
    proves: ['pwd'],
    async go(call, { app }, person) {
      const [email, password] = [newAddress(), newPassword];
      await resultOf(call('register', { email, password }));
      await app.gatehouse.repositories.users.change(person.id, { set: { isSuperuser: true } });
      // Under the policy, administration needs a factor of its own.
      const { token } = await setUpTotp(app, person);
      await withoutSession(await resultOf(call('adminPromotePending', { email }, { token })));
      return login({ email, password }, call);
    },
  },
  'command line': {
    proves: ['pwd'],
    async go(call, { app }, person) {
      await (app.gatehouse as Assembled).operator.createAdmin({ email: person.email });
      return login(person, call);
    },
  },
  'command line, taken over': {
    proves: ['pwd'],
    removesFactors: true,
    async go(call, { app }, { email }) {
      const url = new URL(await (app.gatehouse as Assembled).operator.takeOver({ email }));
      const token = url.searchParams.get('token');
      await withoutSession(await resultOf(call('acceptInvitation', { token, password: newPassword })));
      return login({ email, password: newPassword }, call);
    },
  },
};

describeStory('the ways into an account', backend => {
  let free: External;
  let policed: External;
  beforeAll(async () => {
    free = await startExternal({ backend, settings: strong });
    policed = await startExternal({ backend, settings: { ...strong, mfaRequired: 'everyone' } });
  });
  afterAll(async () => {
    await free?.close();
    await policed?.close();
  });

  const isPoliced = (state: State) => state.endsWith('under policy');

  /** Makes an account in this state, with a password and an identity. */
  async function makePerson(external: External, state: State): Promise<Person> {
    const { app } = external;
    const subject = newSubject();
    const member = await signUp(app);
    await app.gatehouse.repositories.oauth_identities.add({
      ...{ id: subject, provider: 'google', issuer: external.provider.issuer, subjectId: subject },
      ...{ userId: member.id, email: null, linkedAt: app.clock.now(), lastUsedAt: null },
    });
    const person: Person = { ...member, subject };
    // Each factor is added by a session that is complete at that time.
    if (state.includes('passkey')) {
      const { device, token } = await setUpPasskey(app, member);
      Object.assign(person, { device, token });
    }
    if (state.includes('phone')) person.phone = await setUpPhone(app, member);
    if (state.includes('totp')) {
      person.token = await completeToken(app, person);
      const { secret, token } = await setUpTotp(app, person);
      Object.assign(person, { secret, token });
    }
    return person;
  }

  async function completeToken(app: App, { phone, token, password }: Person): Promise<string> {
    if (phone === undefined) return token;
    const { body } = await app.rest('POST', '/reauthenticate', { password }, { token });
    return finish(app, body.mfa_pending_token, { phone } as Person, 'sms');
  }

  /** Finishes a second step with this method. */
  async function finish(app: App, mfa_pending_token: string, person: Partial<Person>, method: string) {
    const proof: Record<string, () => Promise<object>> = {
      sms: async () => {
        const sent = await app.rest('POST', '/login/mfa-send', { mfa_pending_token });
        expect(sent.status).toBe(202);
        const to = app.texts.filter(text => text.to === person.phone);
        return { code: codeIn(to.at(-1)!) };
      },
      totp: async () => ({ code: nextCodeOf(app, person.secret!) }),
      passkey: async () => {
        const { body } = await app.rest('POST', '/login/mfa-passkey/start', { mfa_pending_token });
        return answerOf(person.device!, body);
      },
    };
    const input = { mfa_pending_token, method, ...(await proof[method]!()) };
    const { body } = await app.rest('POST', '/login/mfa-confirm', input);
    return body.access_token as string;
  }

  /** What a session of an account can do that the policy asks a factor of. */
  async function isRestricted(app: App, token: string): Promise<boolean> {
    const me = await app.rest('GET', '/me', undefined, { token });
    expect(me.status).toBe(200);
    const { status, body } = await app.rest('PATCH', '/me', { full_name: 'Ada' }, { token });
    if (status === 200) return false;
    expect(body.code).toBe('mfa_enrolment_required');
    return true;
  }

  const stepAmr: Record<string, string[]> = { sms: ['sms'], totp: ['otp'], passkey: ['swk'] };

  describe.each(doorsOn(backend))('through $name', door => {
    describe.each(Object.entries(ways))('by %s', (_, way) => {
      // Shows asvs/6.3.4, asvs/6.3.6, 63b/2.2.1#combination.
      test.each(way.in ?? stateNames)('factors: %s', async state => {
        const external = isPoliced(state) ? policed : free;
        const { app } = external;
        const person = await makePerson(external, state);
        const answer = (await way.go(door.at(app), external, person)) as Answered;
        const isBare = way.removesFactors === true;
        const due = isBare ? (isPoliced(state) ? 'restricted' : []) : states[state];

        if (way.isComplete || due === 'restricted' || due.length === 0) {
          const { access_token } = answer;
          expect(decodeJwt(access_token).amr).toEqual(way.proves);
          expect(await isRestricted(app, access_token)).toBe(due === 'restricted');
          return;
        }
        expect(answer).not.toHaveProperty('access_token');
        expect(answer).toMatchObject({ status: 'mfa_required', methods: due });
        const { mfa_pending_token } = answer;
        // The pending token itself is no session.
        const me = await app.rest('GET', '/me', undefined, { token: mfa_pending_token });
        expect(me.status).toBe(401);
        const token = await finish(app, mfa_pending_token, person, due[0]!);
        expect(decodeJwt(token).amr).toEqual([...way.proves, ...stepAmr[due[0]!]!, 'mfa']);
        expect(await isRestricted(app, token)).toBe(false);
      });
    });
  });
});
