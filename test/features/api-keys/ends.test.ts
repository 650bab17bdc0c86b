import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { GatehouseError } from '../../../src/errors.ts';
import type { Assembled } from '../../../src/gatehouse.ts';
import { type App, logIn, type Member, newPassword, password, signUp, startApp } from '../../support/app.ts';
import { describeEachKind, type TestDatabase } from '../../support/backends.ts';
import { eventually } from '../../support/eventually.ts';
import { atEachMoment, interleave } from '../../support/interleave.ts';
import { disowning, nextNotMe } from '../../support/not-me.ts';
import { signUpSuperuser } from '../../support/people.ts';
import { rowsIn } from '../../support/rows.ts';

// Acts that end a key, acts that leave it, and races with its creation (CONTRACT §16.8 and §17).

describeEachKind('API keys', backend => {
  let app: App;
  let database: TestDatabase;
  beforeAll(async () => {
    database = await backend.lendDatabase();
    const settings = { ...disowning, enableAdminRouter: true, enableApiKeys: true };
    app = await startApp({ databaseUrl: database.url, settings });
  });
  afterAll(async () => {
    await app?.close();
    await database?.drop();
  });

  const nextReset = ({ email }: Pick<Member, 'email'>) => nextNotMe(app, email, /new password/);
  const operator = () => (app.gatehouse as Assembled).operator;
  const wanted = { name: 'Report', scopes: ['profile'] };
  const make = async ({ token }: Pick<Member, 'token'>) => {
    const { status, body } = await app.rest('POST', '/api-keys', wanted, { token });
    return status === 201 ? (body.key as string) : null;
  };
  const counts = async (key: string | null) =>
    key !== null && (await app.rest('GET', '/me', undefined, { token: key })).status === 200;
  const left = async ({ id }: Pick<Member, 'id'>) =>
    (await app.gatehouse.repositories.api_keys.listByUser(id)).length;

  /** Somebody with a key. */
  async function holder() {
    const member = await signUp(app);
    return { member, key: (await make(member))! };
  }

  /** Listens to what is removed while `act` runs. */
  async function removedBy(act: () => Promise<unknown>) {
    const heard: string[] = [];
    const stop = app.gatehouse.on('api_key_removed', ({ by }) => void heard.push(by));
    await act();
    stop();
    return heard;
  }

  test.each(['storing it', 'the email'])('none is left when %s is answered too late', async step => {
    const { dependencies, repositories } = app.gatehouse as Assembled;
    const member = await signUp(app);
    const { add } = repositories.api_keys;
    const late = () => Promise.reject(new GatehouseError('unavailable'));
    if (step === 'the email') vi.spyOn(dependencies.mails.notices, 'notify').mockImplementationOnce(late);
    else
      vi.spyOn(repositories.api_keys, 'add').mockImplementationOnce(async (...args) => {
        await add(...args);
        return late();
      });
    expect(await make(member)).toBeNull();
    await eventually(async () => expect(await left(member)).toBe(0));
  });

  test('of 50 that are made at once, 20 are there', async () => {
    const member = await signUp(app);
    const made = await Promise.all(
      Array.from({ length: 50 }, () => app.rest('POST', '/api-keys', wanted, member)),
    );
    const statuses = made.map(({ status }) => status).toSorted();
    expect(statuses.filter(status => status === 201)).toHaveLength(20);
    // A server under load may not get to all of those that are too many.
    expect(statuses.filter(status => ![201, 409, 503].includes(status))).toEqual([]);
    expect(await left(member)).toBe(20);
    const keys = made.flatMap(({ body }) => body.key ?? []);
    expect(await Promise.all(keys.map(counts))).toEqual(Array(20).fill(true));
  });

  test('stay at the end of a session, at a cutoff and at a new password', async () => {
    const { member, key } = await holder();
    await app.rest('POST', '/logout', {}, member);
    expect(await counts(key)).toBe(true);
    await app.rest('POST', '/logout', { everywhere: true }, { token: await logIn(app, member) });
    await app.gatehouse.users.endSessions(member.id);
    expect(await counts(key)).toBe(true);
    const change = { current_password: password, new_password: newPassword };
    const token = await logIn(app, member);
    expect((await app.rest('POST', '/change-password', change, { token })).status).toBe(200);
    expect(await counts(key)).toBe(true);
    await app.rest('POST', '/forgot-password', { email: member.email });
    const reset = { token: await nextReset(member), new_password: password };
    expect((await app.rest('POST', '/reset-password', reset)).status).toBe(200);
    expect(await counts(key)).toBe(true);
  });

  test('end with a new password where that is asked for', async () => {
    const { member, key } = await holder();
    const second = (await make(member))!;
    const change = { current_password: password, new_password: newPassword, end_api_keys: true };
    expect(await removedBy(() => app.rest('POST', '/change-password', change, member))).toEqual([
      'self',
      'self',
    ]);
    expect([await counts(key), await counts(second)]).toEqual([false, false]);
    const token = await logIn(app, { ...member, password: newPassword });
    const third = (await make({ token }))!;
    await app.rest('POST', '/forgot-password', { email: member.email });
    const reset = { token: await nextReset(member), new_password: password, end_api_keys: true };
    expect(await removedBy(() => app.rest('POST', '/reset-password', reset))).toEqual(['self']);
    expect(await counts(third)).toBe(false);
  });

  const mailOf = async ({ email }: Pick<Member, 'email'>, subject: RegExp) => {
    let mail = await app.nextMail(email);
    while (!subject.test(mail.subject)) mail = await app.nextMail(email);
    return mail.text.replaceAll('\n', ' ');
  };

  test('the email about a new password tells whether they stay', async () => {
    const [{ member }, other] = [await holder(), await signUp(app)];
    const change = async (who: Member, more = {}) => {
      const token = await logIn(app, who);
      const body = { current_password: password, new_password: newPassword, ...more };
      await app.rest('POST', '/change-password', body, { token });
      return mailOf(who, /was changed/);
    };
    const reset = async () => {
      await app.rest('POST', '/forgot-password', { email: member.email });
      await app.rest('POST', '/reset-password', { token: await nextReset(member), new_password: password });
      return mailOf(member, /was reset/);
    };
    expect(await change(member)).toContain('API keys of your account still work');
    expect(await reset()).toContain('API keys of your account still work');
    expect(await change(member, { end_api_keys: true })).toContain(
      'No API key of your account works any more.',
    );
    expect(await change(other, { end_api_keys: true })).not.toContain('API key');
    expect(await change(await signUp(app))).not.toContain('API key');
  });

  test('are gone when the email says so', async () => {
    const { member } = await holder();
    const { api_keys } = app.gatehouse.repositories;
    const left: number[] = [];
    const remove = api_keys.remove;
    api_keys.remove = async (...args) => {
      left.push(
        app.mails.filter(({ subject, to }) => to === member.email && /was changed/.test(subject)).length,
      );
      return remove(...args);
    };
    const change = { current_password: password, new_password: newPassword, end_api_keys: true };
    await app.rest('POST', '/change-password', change, member).finally(() => {
      api_keys.remove = remove;
    });
    expect(left).toEqual([0]);
    await mailOf(member, /was changed/);
  });

  test('the email about another address tells that they stay, to whoever it goes', async () => {
    const [{ member, key }, other] = [await holder(), await signUp(app)];
    const move = async ({ token, email }: Member) => {
      const to = `${randomUUID()}@example.org`;
      await app.rest('POST', '/change-email', { new_email: to, current_password: password }, { token });
      const link = /token=(\S+)/.exec((await app.nextMail(to)).text)![1];
      await app.rest('POST', '/confirm-email-change', { token: link });
      return mailOf({ email }, /address .*was changed/);
    };
    expect(await move(member)).toContain('API keys of your account still work');
    expect(await move(other)).not.toContain('API key');
    expect(await counts(key)).toBe(true);
    const administered = await holder();
    const email = `${randomUUID()}@example.org`;
    await app.gatehouse.users.changeEmail(administered.member.id, { email });
    for (const to of [administered.member.email, email])
      expect(await mailOf({ email: to }, /address .*was changed/)).toContain(
        'API keys of your account still work',
      );
  });

  test('of a disabled account are refused, and work again when it is enabled', async () => {
    const { member, key } = await holder();
    await app.gatehouse.users.disable(member.id);
    expect(await counts(key)).toBe(false);
    await app.gatehouse.users.enable(member.id);
    expect(await counts(key)).toBe(true);
  });

  test('are not made for a disabled account, of which nothing is stored', async () => {
    const { id } = await signUp(app);
    await app.gatehouse.users.disable(id);
    const heard: string[] = [];
    const stop = app.gatehouse.on('audit', ({ act, reason }) => void heard.push(`${act} ${reason}`));
    await expect(app.gatehouse.apiKeys.create(id, wanted)).rejects.toMatchObject({
      code: 'account_disabled',
    });
    stop();
    expect(heard).toEqual(['createUserApiKey account_disabled']);
    expect(await left({ id })).toBe(0);
  });

  test('go with their account, which is no removal of a key', async () => {
    const { member, key } = await holder();
    expect(await removedBy(() => app.gatehouse.users.remove(member.id))).toEqual([]);
    expect([await counts(key), await left(member)]).toEqual([false, 0]);
  });

  test('go with a take-over and with the first proof of an address', async () => {
    const taken = await holder();
    expect(await removedBy(() => operator().takeOver({ email: taken.member.email }))).toEqual(['cli']);
    expect([await counts(taken.key), await left(taken.member)]).toEqual([false, 0]);
    const { member, key } = await holder();
    await app.gatehouse.repositories.users.change(member.id, { set: { isVerified: false } });
    await app.rest('POST', '/forgot-password', { email: member.email });
    const reset = { token: await nextReset(member), new_password: newPassword };
    expect(await removedBy(() => app.rest('POST', '/reset-password', reset))).toEqual(['self']);
    expect([await counts(key), await left(member)]).toEqual([false, 0]);
  });

  test('made since an act that was not the owner’s count again when the owner keeps them', async () => {
    const member = await signUp(app);
    const old = (await make(member))!;
    app.clock.advance(3_600_000);
    const token = await logIn(app, member);
    const recent = (await make({ token }))!;
    const link = await nextNotMe(app, member.email, /^An API key was made/);
    const later = await nextNotMe(app, member.email, /^An API key was made/);
    expect(link).not.toBe(later);
    const reported: unknown[] = [];
    const stop = app.gatehouse.on('not_me_reported', ({ about }) => void reported.push(about));
    await app.rest('POST', '/not-me', { token: later });
    stop();
    expect(reported).toEqual(['api_key']);
    expect(await mailOf(member, /was secured/)).toContain(
      'API keys of your account are refused while it is closed.',
    );
    expect([await counts(old), await counts(recent)]).toEqual([false, false]);
    await app.rest('POST', '/forgot-password', { email: member.email });
    const reset = { token: await nextReset(member), new_password: newPassword };
    await app.rest('POST', '/reset-password', reset);
    expect(await mailOf(member, /was reset/)).toContain('API keys of your account still work');
    expect([await counts(old), await counts(recent)]).toEqual([true, false]);
    const again = await logIn(app, { ...member, password: newPassword });
    const { body } = await app.rest('GET', '/api-keys', undefined, { token: again });
    expect(body.items.map((item: { is_distrusted?: boolean }) => item.is_distrusted === true)).toEqual([
      true,
      false,
    ]);
    expect((await app.rest('POST', '/not-me/keep', {}, { token: again })).status).toBe(200);
    expect([await counts(old), await counts(recent)]).toEqual([true, true]);
  });

  /** What ends a key for good, each with the session of somebody who makes one meanwhile. */
  const cutoffs: Record<string, (member: Member) => Promise<unknown>> = {
    'logging out': member => app.rest('POST', '/logout', {}, member),
    'another password': member =>
      app.rest(
        'POST',
        '/change-password',
        { current_password: password, new_password: newPassword, end_api_keys: true },
        member,
      ),
    'ending all sessions': ({ id }) => app.gatehouse.users.endSessions(id),
    disabling: ({ id }) => app.gatehouse.users.disable(id),
    deletion: ({ id }) => app.gatehouse.users.remove(id),
    'a take-over': ({ email }) => operator().takeOver({ email }),
  };

  test.each(Object.keys(cutoffs))(
    'a key that is made while %s comes in between is taken back',
    async name => {
      await atEachMoment(backend, async moment => {
        const member = await signUp(app);
        let key: string | null = null;
        const creation = async () => {
          key = await make(member);
        };
        const calls = await interleave(app, creation, { [moment]: () => cutoffs[name]!(member) });
        if (calls <= moment) return calls;
        // The act came in: the creation was refused, or was over before it.
        const isGone = ['another password', 'deletion', 'a take-over'].includes(name);
        if (isGone) expect([moment, await left(member), await counts(key)]).toEqual([moment, 0, false]);
        else if (key === null) expect([moment, await left(member)]).toEqual([moment, 0]);
        return calls;
      });
    },
  );

  test('are readable nowhere', async () => {
    const { member, key } = await holder();
    await counts(key);
    await app.rest('GET', '/me', undefined, { token: `${key.slice(0, -1)}x` });
    const admin = await signUpSuperuser(app);
    const answers = [
      await app.rest('GET', '/api-keys', undefined, member),
      await app.rest('GET', `/admin/users/${member.id}/api-keys`, undefined, admin),
      await app.rest('GET', '/features'),
    ];
    const texts = [
      JSON.stringify(await rowsIn(database.url)),
      JSON.stringify(answers.map(({ body }) => body)),
      JSON.stringify(app.logs),
      JSON.stringify(app.mails),
    ];
    for (const text of texts) expect(text).not.toContain(key.slice(8, -6));
  });

  test.skipIf(backend.name === 'sqlite-memory')(
    'are removed with their account while the flag is off, too',
    async () => {
      const { member, key } = await holder();
      const off = await startApp({
        databaseUrl: database.url,
        settings: { ...disowning, enableAdminRouter: true },
      });
      try {
        expect((await off.rest('GET', '/me', undefined, { token: key })).status).toBe(401);
        expect((await off.rest('GET', '/api-keys', undefined, { token: member.token })).status).toBe(404);
        await (off.gatehouse as Assembled).operator.takeOver({ email: member.email });
        expect(await left(member)).toBe(0);
      } finally {
        await off.close();
      }
    },
  );

  test('are told of a week before they end, once', async () => {
    const member = await signUp(app);
    const { apiKeys } = app.gatehouse;
    await apiKeys.create(member.id, { name: 'Long', scopes: ['profile'], expiresInDays: 30 });
    await apiKeys.create(member.id, { name: 'Short', scopes: ['profile'], expiresInDays: 14 });
    const { upkeep } = (app.gatehouse as Assembled).features.apiKeys!;
    const warned = async () =>
      (await app.gatehouse.repositories.api_keys.listByUser(member.id))
        .filter(({ warnedAt }) => warnedAt !== null)
        .map(({ name }) => name);
    app.clock.advance(22 * 86_400_000);
    await upkeep();
    expect(await warned()).toEqual([]);
    app.clock.advance(2 * 86_400_000);
    await Promise.all([upkeep(), upkeep(), upkeep()]);
    await upkeep();
    expect(await warned()).toEqual(['Long']);
    let mail = await app.nextMail(member.email);
    while (!/ends soon/.test(mail.subject)) mail = await app.nextMail(member.email);
    expect(mail.text).toContain('“Long”');
    await app.rest('POST', '/forgot-password', { email: member.email });
    await nextReset(member);
    expect(
      app.mails.filter(({ to, subject }) => to === member.email && /ends soon/.test(subject)),
    ).toHaveLength(1);
  });

  test('that the owner never made end by the link of the email that tells of their end', async () => {
    const member = await signUp(app);
    const key = (await make(member))!;
    app.clock.advance(84 * 86_400_000);
    await (app.gatehouse as Assembled).features.apiKeys!.upkeep();
    expect(await counts(key)).toBe(true);
    const token = await nextNotMe(app, member.email, /ends soon/);
    expect((await app.rest('POST', '/not-me', { token })).status).toBe(200);
    expect(await counts(key)).toBe(false);
    await app.rest('POST', '/forgot-password', { email: member.email });
    const reset = { token: await nextReset(member), new_password: newPassword };
    expect((await app.rest('POST', '/reset-password', reset)).status).toBe(200);
    // Opened again, the account still distrusts what was added since the key was made.
    expect(await counts(key)).toBe(false);
  });
});
