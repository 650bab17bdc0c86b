import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newUser } from '../../src/domain/new-user.ts';
import type { Assembled } from '../../src/gatehouse.ts';
import { logIn, type Member, newPassword, password, tokenOf } from '../support/app.ts';
import { describeEachDriver } from '../support/backends.ts';
import { type External, startExternal } from '../support/external.ts';
import { atEachMoment, interleave, Killed } from '../support/interleave.ts';
import { codeIn, newAddress, newPhone, newSubject } from '../support/people.ts';
import { codeAt } from '../support/strong.ts';
import { totpSettings } from '../support/totp.ts';

/** A stranger in an account, and what the stranger does at the moment at which it is taken away. */
interface Stranger extends Member {
  /** The identity that is linked already. */
  planted: string;
  /** Everything that the stranger got hold of meanwhile. */
  tokens: string[];
  subjects: string[];
}

interface Attack {
  name: string;
  /** The preparation; returns the act in the middle of it. */
  prepare(site: External, stranger: Stranger): Promise<() => Promise<unknown>>;
}

const attacks: Attack[] = [
  {
    name: 'a link that finishes',
    async prepare(site, stranger) {
      const url = await site.startLink(stranger);
      const subject = newSubject();
      stranger.subjects.push(subject);
      return () => site.comeBack(url, subject);
    },
  },
  {
    name: 'a sign-in by a linked identity, and a link with its session',
    async prepare(site, stranger) {
      return async () => {
        const token = await site.sessionOf(stranger.planted);
        if (token === null) return;
        stranger.tokens.push(token);
        const subject = newSubject();
        stranger.subjects.push(subject);
        const link = await site.app.rest('POST', '/oauth/google/link/start', {}, { token });
        if (link.status === 200) await site.comeBack(link.body.authorization_url, subject);
      };
    },
  },
  {
    name: 'an unlink, and a link in its place',
    async prepare(site, stranger) {
      const url = await site.startLink(stranger);
      const subject = newSubject();
      stranger.subjects.push(subject);
      return async () => {
        await site.app.rest('DELETE', '/oauth/google/link', undefined, { token: stranger.token });
        await site.comeBack(url, subject);
      };
    },
  },
  {
    name: 'a phone that is confirmed',
    async prepare({ app }, { token, password }) {
      const phone_number = newPhone();
      const start = { phone_number, current_password: password };
      const { body } = await app.rest('POST', '/phone/start', start, { token });
      const code = codeIn(await app.nextText(phone_number));
      const confirm = { pending_token: body.pending_token, code };
      return () => app.rest('POST', '/phone/confirm', confirm, { token });
    },
  },
  {
    name: 'an authenticator app that is confirmed, and a session in place of the others',
    async prepare({ app }, stranger) {
      const { body } = await app.rest('POST', '/totp/start', {}, stranger);
      const confirm = { id: body.id, code: codeAt(body.secret, app.clock.now()), end_other_sessions: true };
      return async () => {
        const { body } = await app.rest('POST', '/totp/confirm', confirm, stranger);
        if (body.session) stranger.tokens.push(body.session.access_token);
      };
    },
  },
];

describeEachDriver('an account that is taken from a stranger', backend => {
  let site: External;
  beforeAll(async () => {
    const settings = { ...totpSettings, enableSms2fa: true, requireVerification: false };
    site = await startExternal({ backend, settings });
  });
  afterAll(() => site?.close());

  async function stranger(): Promise<Stranger> {
    const { app, provider } = site;
    const { hashedPassword } = (await app.gatehouse.repositories.users.find((await someone()).id))!;
    const email = newAddress();
    const user = newUser(app.clock.now(), { email, fullName: null, hashedPassword, isVerified: true });
    await app.gatehouse.repositories.users.add(user);
    const planted = newSubject();
    await app.gatehouse.repositories.oauth_identities.add({
      ...{ id: randomUUID(), provider: 'google', issuer: provider.issuer, subjectId: planted },
      ...{ userId: user.id, email: null, linkedAt: app.clock.now(), lastUsedAt: null },
    });
    const token = await logIn(app, { email, password });
    return { id: user.id, email, password, token, planted, tokens: [token], subjects: [planted] };
  }

  let member: Promise<{ id: string }> | undefined;
  /** Whose hash of the usual password the others borrow. */
  function someone() {
    const body = { email: newAddress(), password: 'correct horse battery' };
    member ??= site.app.rest('POST', '/register', body).then(reply => reply.body);
    return member;
  }

  /** Nothing of the stranger is left, and only the new password signs in. */
  async function expectClean({ id, email, tokens, subjects }: Stranger): Promise<void> {
    const user = (await site.app.gatehouse.repositories.users.find(id))!;
    expect(user).toMatchObject({ isActive: true, isVerified: true, phoneNumber: null, isMfaEnabled: false });
    expect(await site.identitiesOf({ id })).toEqual([]);
    const { authenticators, recovery_codes } = site.app.gatehouse.repositories;
    expect(await authenticators.listByUser(id)).toEqual([]);
    expect(await recovery_codes.find(id)).toBeNull();
    // A refused sign-in may have made an account of its own.
    for (const token of tokens) expect((await site.me(token))?.id).not.toBe(id);
    for (const subject of subjects) {
      const session = await site.sessionOf(subject);
      if (session !== null) expect((await site.me(session))?.id).not.toBe(id);
    }
    expect(await site.me(await logIn(site.app, { email, password: newPassword }))).toMatchObject({ id });
  }

  /** The token of the next mail that has one; notices are passed over. */
  async function nextResetToken(email: string): Promise<string> {
    for (;;) {
      const mail = await site.app.nextMail(email);
      if (mail.text.includes('token=')) return tokenOf(mail);
    }
  }

  const takeOver = async ({ email }: Stranger) => {
    const { operator } = site.app.gatehouse as Assembled;
    const token = new URL(await operator.takeOver({ email })).searchParams.get('token');
    const accepted = await site.app.rest('POST', '/accept-invitation', { token, password: newPassword });
    expect(accepted.status).toBe(200);
  };
  const reset = (token: string) => async () => {
    const { status } = await site.app.rest('POST', '/reset-password', { token, new_password: newPassword });
    expect(status).toBe(200);
  };

  /** Returns the use of a link that verifies an account, with a new password. */
  async function verification(email: string) {
    await site.app.rest('POST', '/resend-verification', { email });
    const body = { token: await nextResetToken(email), password: newPassword };
    return async () => expect((await site.app.rest('POST', '/verify', body)).status).toBe(200);
  }

  describe.each([
    {
      name: 'by `svc create-admin --take-over`',
      isVerified: true,
      prepare: async (of: Stranger) => () => takeOver(of),
      again: takeOver,
    },
    {
      name: 'by the first reset',
      isVerified: false,
      async prepare({ email }: Stranger) {
        await site.app.rest('POST', '/forgot-password', { email });
        return reset(await nextResetToken(email));
      },
      async again({ email }: Stranger) {
        await site.app.rest('POST', '/forgot-password', { email });
        await reset(await nextResetToken(email))();
      },
    },
    {
      name: 'by the link that verifies it, with a password',
      isVerified: false,
      async prepare({ id, email }: Stranger) {
        const { users } = site.app.gatehouse.repositories;
        await users.change(id, { set: { isVerified: false } });
        const take = await verification(email);
        await users.change(id, { set: { isVerified: true } });
        return take;
      },
      async again({ id, email }: Stranger) {
        // Stopped after the last write, there is nothing left to repeat.
        const { isVerified } = (await site.app.gatehouse.repositories.users.find(id))!;
        if (!isVerified) await (await verification(email))();
      },
    },
  ])('$name', ({ isVerified, prepare, again }) => {
    /** An account with a stranger in it, how it is taken, and what the stranger does at that moment. */
    async function meet(...plans: Attack[]) {
      const of = await stranger();
      const take = await prepare(of);
      const meanwhile = [];
      for (const plan of plans) meanwhile.push(await plan.prepare(site, of));
      // An earlier version let also those whose address was never verified begin a link or a phone.
      await site.app.gatehouse.repositories.users.change(of.id, { set: { isVerified } });
      return { of, take, meanwhile };
    }

    test.each(attacks)('keeps nothing of $name, at whatever moment it comes', async attack => {
      await atEachMoment(backend, async at => {
        const { of, take, meanwhile } = await meet(attack);
        const calls = await interleave(site.app, take, { [at]: meanwhile[0]! });
        await expectClean(of);
        return calls;
      });
    });

    test.each(attacks)('keeps nothing of $name, at whatever moment it is overtaken', async attack => {
      await atEachMoment(backend, async at => {
        const { of, take, meanwhile } = await meet(attack);
        const calls = await interleave(site.app, meanwhile[0]!, { [at]: take });
        // The attack may be over before anything is taken.
        if (calls <= at) await take();
        await expectClean(of);
        return calls;
      });
    });

    test('keeps nothing of a sign-in by a linked identity whose session links another one a step later', async () => {
      const inSteps = async (first: number, second: number) => {
        const { of, take } = await meet();
        let [token, url]: (string | null)[] = [null, null];
        const subject = newSubject();
        of.subjects.push(subject);
        const calls = await interleave(site.app, take, {
          [first]: async () => {
            token = await site.sessionOf(of.planted);
            if (token === null) return;
            of.tokens.push(token);
            const { body } = await site.app.rest('POST', '/oauth/google/link/start', {}, { token });
            url = body.authorization_url ?? null;
          },
          [second]: async () => url && site.comeBack(url, subject),
        });
        await expectClean(of);
        return calls;
      };
      await atEachMoment(backend, async at => {
        await inSteps(at, at + 1);
        return inSteps(at, at + 2);
      });
    });

    test('is taken completely the next time when the process is killed in the middle', async () => {
      const kill = () => Promise.reject(new Killed());
      await atEachMoment(backend, async at => {
        const { of, take } = await meet();
        // A request that is killed has no answer; the same for the command.
        const calls = await interleave(site.app, () => take().catch(() => {}), { [at]: kill });
        if (at < calls) {
          await again(of);
          await expectClean(of);
        }
        return calls;
      });
    });

    test('keeps nothing of all of them at once', async () => {
      for (let i = 0; i < 5; i++) {
        const { of, take, meanwhile } = await meet(...attacks);
        await Promise.all([take(), ...meanwhile.map(attack => attack())]);
        await expectClean(of);
      }
    });
  });

  test('is verified by no link without a password once a first reset has stopped in the middle', async () => {
    // Its owner gives up, asks for a link that verifies the address, and would keep what the stranger has left.
    const { users } = site.app.gatehouse.repositories;
    await atEachMoment(backend, async at => {
      const of = await stranger();
      await users.change(of.id, { set: { isVerified: false } });
      const before = (await users.find(of.id))!;
      await site.app.rest('POST', '/forgot-password', { email: of.email });
      const take = reset(await nextResetToken(of.email));
      const calls = await interleave(site.app, () => take().catch(() => {}), {
        [at]: () => Promise.reject(new Killed()),
      });
      const after = (await users.find(of.id))!;
      if (after.isVerified || after.hashedPassword === before.hashedPassword) return calls;
      const { status } = await site.app.rest('POST', '/login', { email: of.email, password: newPassword });
      expect(status).not.toBe(200);
      await site.app.rest('POST', '/resend-verification', { email: of.email });
      const token = await nextResetToken(of.email);
      const verify = (body: object) => site.app.rest('POST', '/verify', { token, ...body });
      expect(await verify({})).toMatchObject({ status: 400, body: { code: 'password_required' } });
      expect(await verify({ password: newPassword })).toMatchObject({ status: 200 });
      await expectClean(of);
      return calls;
    });
  });
});
