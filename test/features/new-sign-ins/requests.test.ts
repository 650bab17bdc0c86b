import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Member, newPassword, tokenOf } from '../../support/app.ts';
import { type Backend, describeEachBackend, describeEachDriver } from '../../support/backends.ts';
import { type External, startExternal } from '../../support/external.ts';
import { atEachMoment, interleave, Killed } from '../../support/interleave.ts';
import { disowning, enterWith, nextNotMe, safari, signUpBefore } from '../../support/not-me.ts';
import { newSubject } from '../../support/people.ts';
import { answerOf, passkeyProof, setUpPasskey } from '../../support/strong.ts';

// An account is reported while an intruder, who has planted something, keeps signing in and adding to it.

interface Victim extends Member {
  link: string;
  /** The identity that the intruder has linked, and the device with the intruder's passkey. */
  planted: string;
  device: Awaited<ReturnType<typeof setUpPasskey>>['device'];
  /** The sessions and the identities that the intruder got hold of. */
  tokens: string[];
  subjects: string[];
}

interface Attack {
  name: string;
  prepare(site: External, victim: Victim): Promise<() => Promise<unknown>>;
}

const attacks: Attack[] = [
  {
    name: 'a sign-in by the planted identity',
    prepare: async (site, victim) => async () => {
      const token = await site.sessionOf(victim.planted);
      if (token !== null) victim.tokens.push(token);
    },
  },
  {
    name: 'a sign-in by the planted passkey',
    async prepare({ app }, victim) {
      const proof = await passkeyProof(app, victim.device);
      return async () => {
        const { body } = await app.rest('POST', '/login/passkey', proof);
        if (body.access_token) victim.tokens.push(body.access_token);
      };
    },
  },
  {
    name: 'a sign-in with the password',
    prepare:
      async ({ app }, { email, password, tokens }) =>
      async () => {
        const { body } = await app.rest('POST', '/login', { email, password });
        if (body.access_token) tokens.push(body.access_token);
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
    const member = await signUpBefore(site.app);
    const token = await enterWith(site.app, safari, member);
    const link = await nextNotMe(site.app, member.email, /^A new sign-in/);
    const planted = newSubject();
    expect((await site.link({ token }, planted)).searchParams.get('linked')).toBe('google');
    const { device } = await setUpPasskey(site.app, { token });
    return { ...member, link, planted, device, tokens: [token, member.token], subjects: [planted] };
  }

  const report =
    ({ link }: Victim) =>
    () =>
      site.app.rest('POST', '/not-me', { token: link });

  /** Nothing that the intruder has, or does now, is of use. */
  async function expectClosed({ id, email, password, device, tokens, subjects }: Victim): Promise<void> {
    const { app } = site;
    expect(await app.gatehouse.repositories.users.find(id)).toMatchObject({ reportedAt: expect.any(Date) });
    // An identity that was turned away may have made an account of its own.
    for (const token of tokens) expect((await site.me(token))?.id).not.toBe(id);
    for (const subject of subjects) {
      const session = await site.sessionOf(subject);
      if (session !== null) expect((await site.me(session))?.id).not.toBe(id);
    }
    const start = await app.rest('POST', '/login/passkey/start', {});
    expect((await app.rest('POST', '/login/passkey', answerOf(device, start.body))).status).toBe(400);
    expect((await app.rest('POST', '/login', { email, password })).status).toBe(401);
  }

  return { site: () => site, victim, report, expectClosed };
}

// The order of storage calls is the same on every database.
describeEachBackend(
  'an account that is reported, in every order',
  backend => {
    const { site, victim, report, expectClosed } = stage(backend);

    describe.each(attacks)('during $name', attack => {
      test('is closed to it, at whatever moment it comes', async () => {
        await atEachMoment(backend, async at => {
          const of = await victim();
          const meanwhile = await attack.prepare(site(), of);
          const take = async () => expect((await report(of)()).status).toBe(200);
          const calls = await interleave(site().app, take, { [at]: meanwhile });
          await expectClosed(of);
          return calls;
        });
      });

      test('is closed to it, at whatever moment it is overtaken', async () => {
        await atEachMoment(backend, async at => {
          const of = await victim();
          const meanwhile = await attack.prepare(site(), of);
          const take = async () => expect((await report(of)()).status).toBe(200);
          const calls = await interleave(site().app, meanwhile, { [at]: take });
          if (calls <= at) await take();
          await expectClosed(of);
          return calls;
        });
      });
    });

    test('is closed by the same link when the process is killed in the middle', async () => {
      const kill = () => Promise.reject(new Killed());
      await atEachMoment(backend, async at => {
        const of = await victim();
        const calls = await interleave(site().app, () => report(of)().catch(() => {}), { [at]: kill });
        if (calls <= at) return calls;
        const { status, body } = await report(of)();
        // Killed after its last write there is nothing left to do.
        if (status !== 200) expect(body.code).toBe('invalid_token');
        await expectClosed(of);
        return calls;
      });
    });

    test('stays open again after a reset, whatever the same link does at the same moment', async () => {
      const { app } = site();
      await atEachMoment(backend, async at => {
        const of = await victim();
        const first = report(of);
        const second = report(of);
        const reset = async () => {
          await first();
          await app.rest('POST', '/forgot-password', { email: of.email });
          for (;;) {
            const mail = await app.nextMail(of.email);
            if (!mail.text.includes('/reset-password?token=')) continue;
            const token = tokenOf(mail);
            return app.rest('POST', '/reset-password', { token, new_password: newPassword });
          }
        };
        const calls = await interleave(app, second, { [at]: reset });
        if (calls <= at) return calls;
        const login = await app.rest('POST', '/login', { email: of.email, password: newPassword });
        expect(login.status).toBe(200);
        return calls;
      });
    });
  },
  { only: ['sqlite'] },
);

describeEachDriver('an account that is reported', backend => {
  const { site, victim, report, expectClosed } = stage(backend);

  test('is told of once, of many requests at the same moment', async () => {
    const of = await victim();
    const heard: string[] = [];
    const off = site().app.gatehouse.on('not_me_reported', ({ user }) => void heard.push(user.id));
    const replies = await Promise.all(Array.from({ length: 8 }, report(of)));
    off();
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(replies.filter(({ body }) => body.code === 'invalid_token')).toHaveLength(7);
    expect(heard).toEqual([of.id]);
    await expectClosed(of);
  });

  test('is closed to an intruder who does all that at the same moment', async () => {
    const of = await victim();
    const meanwhile = [];
    for (const attack of attacks.toReversed()) meanwhile.push(await attack.prepare(site(), of));
    const [taken] = await Promise.all([report(of)(), ...meanwhile.map(attack => attack())] as const);
    expect(taken.status).toBe(200);
    await expectClosed(of);
  });
});
