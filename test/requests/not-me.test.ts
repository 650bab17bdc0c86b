import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Assembled } from '../../src/gatehouse.ts';
import { logIn, type Member, signUp } from '../support/app.ts';
import { type Backend, describeEachBackend, describeEachDriver } from '../support/backends.ts';
import { type External, startExternal } from '../support/external.ts';
import { interleave, Killed } from '../support/interleave.ts';
import { disowning, enterWith, nextNotMe, safari } from '../support/not-me.ts';
import { newSubject } from '../support/people.ts';
import { codeOf } from '../support/strong.ts';

// An account is put back while an intruder, who has linked an identity, keeps adding to it: nothing of it may remain.

const newPassword = 'another horse battery';
const chosenByOperator = 'what the operator has chosen';

interface Victim extends Member {
  link: string;
  /** The identity that the intruder has linked. */
  planted: string;
  /** Everything that the intruder got hold of. */
  tokens: string[];
  subjects: string[];
}

interface Attack {
  name: string;
  prepare(site: External, victim: Victim): Promise<() => Promise<unknown>>;
}

const attacks: Attack[] = [
  {
    name: 'a sign-in by the planted identity, and an authenticator app set up with its session',
    prepare: async (site, victim) => async () => {
      const token = await site.sessionOf(victim.planted);
      if (token === null) return;
      victim.tokens.push(token);
      const { body } = await site.app.rest('POST', '/totp/start', {}, { token });
      if (!body.secret) return;
      const confirm = { id: body.id, code: codeOf(site.app, body.secret) };
      await site.app.rest('POST', '/totp/confirm', confirm, { token });
    },
  },
  {
    name: 'a link that finishes',
    async prepare(site, victim) {
      await site.app.rest('DELETE', '/oauth/google/link', undefined, { token: victim.tokens[0]! });
      const url = await site.startLink({ token: victim.tokens[0]! });
      const subject = newSubject();
      victim.subjects.push(subject);
      return () => site.comeBack(url, subject);
    },
  },
];

/** Opens an app, and returns what these tests do with it. */
function stage(backend: Backend) {
  let site: External;
  beforeAll(async () => {
    site = await startExternal({ backend, settings: { ...disowning, limitsDisabled: true } });
  });
  afterAll(() => site?.close());

  async function victim(): Promise<Victim> {
    const member = await signUp(site.app);
    const token = await enterWith(site.app, safari, member);
    const link = await nextNotMe(site.app, member.email, /^A new sign-in/);
    const planted = newSubject();
    expect((await site.link({ token }, planted)).searchParams.get('linked')).toBe('google');
    return { ...member, link, planted, tokens: [token, member.token], subjects: [planted] };
  }

  const putBack =
    ({ link, password }: Victim) =>
    () =>
      site.app.rest('POST', '/not-me', { token: link, password, new_password: newPassword });

  async function expectClean({ id, email, tokens, subjects }: Victim): Promise<void> {
    const { users, authenticators, recovery_codes } = site.app.gatehouse.repositories;
    expect(await users.find(id)).toMatchObject({ isActive: true, isMfaEnabled: false, phoneNumber: null });
    expect(await site.identitiesOf({ id })).toEqual([]);
    expect(await authenticators.listByUser(id)).toEqual([]);
    expect(await recovery_codes.find(id)).toBeNull();
    // Whoever was turned away may have made an account of their own.
    for (const token of tokens) expect((await site.me(token))?.id).not.toBe(id);
    for (const subject of subjects) {
      const session = await site.sessionOf(subject);
      if (session !== null) expect((await site.me(session))?.id).not.toBe(id);
    }
    expect(await site.me(await logIn(site.app, { email, password: newPassword }))).toMatchObject({ id });
  }

  return { site: () => site, victim, putBack, expectClean };
}

// The order of storage calls is the same on every database.
describeEachBackend(
  'an account that is put back, in every order',
  backend => {
    const { site, victim, putBack, expectClean } = stage(backend);

    describe.each(attacks)('during $name', attack => {
      test('keeps nothing of it, at whatever moment it comes', async () => {
        for (let at = 0, isThere = true; isThere; at++) {
          const of = await victim();
          const meanwhile = await attack.prepare(site(), of);
          const take = async () => expect((await putBack(of)()).status).toBe(200);
          isThere = at < (await interleave(site().app, take, { [at]: meanwhile }));
          await expectClean(of);
          if (at === 0) expect(isThere).toBe(true);
        }
      });

      test('keeps nothing of it, at whatever moment it is overtaken', async () => {
        for (let at = 0, isThere = true; isThere; at++) {
          const of = await victim();
          const meanwhile = await attack.prepare(site(), of);
          const take = async () => expect((await putBack(of)()).status).toBe(200);
          isThere = at < (await interleave(site().app, meanwhile, { [at]: take }));
          if (!isThere) await take();
          await expectClean(of);
        }
      });
    });

    test('is put back by the same link when the process is killed in the middle', async () => {
      const kill = () => Promise.reject(new Killed());
      for (let at = 0; ; at++) {
        const of = await victim();
        const take = putBack(of);
        const calls = await interleave(site().app, () => take().catch(() => {}), { [at]: kill });
        if (calls <= at) break;
        // A lock that the process could not remove ends by itself.
        site().app.clock.advance(60_000);
        const { status, body } = await take();
        // Killed after its last write there is nothing left to do.
        if (status !== 200) expect(body.code).toBe('invalid_token');
        await expectClean(of);
      }
    });

    test('ends its sessions by the same link when the process is killed in the middle', async () => {
      const kill = () => Promise.reject(new Killed());
      for (let at = 0; ; at++) {
        const of = await victim();
        const report = () => site().app.rest('POST', '/not-me', { token: of.link });
        const calls = await interleave(site().app, () => report().catch(() => {}), { [at]: kill });
        if (calls <= at) break;
        await report();
        for (const token of of.tokens) expect(await site().me(token)).toBeNull();
        const login = await site().app.rest('POST', '/login', { email: of.email, password: of.password });
        expect(login.body.code).toBe('invalid_credentials');
        expect((await putBack(of)()).status).toBe(200);
        await expectClean(of);
      }
    });

    test('keeps the new password when the link alone is used at whatever moment', async () => {
      for (let at = 0, isThere = true; isThere; at++) {
        const of = await victim();
        const report = () => site().app.rest('POST', '/not-me', { token: of.link });
        const take = async () => expect((await putBack(of)()).status).toBe(200);
        isThere = at < (await interleave(site().app, take, { [at]: report }));
        await expectClean(of);
      }
    });

    test('is left to the operator who takes it over at whatever moment', async () => {
      const { operator } = site().app.gatehouse as Assembled;
      for (let at = 0, isThere = true; isThere; at++) {
        const of = await victim();
        const takeOver = async () => {
          const url = await operator.takeOver({ email: of.email });
          const accept = { token: new URL(url).searchParams.get('token'), password: chosenByOperator };
          await site().app.rest('POST', '/accept-invitation', accept);
        };
        isThere = at < (await interleave(site().app, putBack(of), { [at]: takeOver }));
        if (!isThere) await takeOver();
        await logIn(site().app, { ...of, password: chosenByOperator });
      }
    });

    test('keeps the new password when the link alone is overtaken at whatever moment', async () => {
      for (let at = 0, isThere = true; isThere; at++) {
        const of = await victim();
        const report = () => site().app.rest('POST', '/not-me', { token: of.link });
        const take = async () => expect((await putBack(of)()).status).toBe(200);
        isThere = at < (await interleave(site().app, report, { [at]: take }));
        if (!isThere) await take();
        await expectClean(of);
      }
    });
  },
  { only: ['sqlite-memory'] },
);

describeEachDriver('an account that is put back', backend => {
  const { site, victim, putBack, expectClean } = stage(backend);

  test('is put back once, and its sessions are ended once, of many requests at the same moment', async () => {
    const of = await victim();
    const reports = await Promise.all(
      Array.from({ length: 8 }, () => site().app.rest('POST', '/not-me', { token: of.link })),
    );
    expect(reports.filter(({ status }) => status === 200)).toHaveLength(1);
    const replies = await Promise.all(Array.from({ length: 8 }, putBack(of)));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(replies.filter(({ body }) => body.code === 'invalid_token')).toHaveLength(7);
    await expectClean(of);
  });

  test('keeps nothing of an intruder who does all that at the same moment', async () => {
    const of = await victim();
    const meanwhile = [];
    for (const attack of attacks.toReversed()) meanwhile.push(await attack.prepare(site(), of));
    const [taken] = await Promise.all([putBack(of)(), ...meanwhile.map(attack => attack())] as const);
    expect(taken.status).toBe(200);
    await expectClean(of);
  });
});
