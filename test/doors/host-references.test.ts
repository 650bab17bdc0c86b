import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { parseDatabaseUrl } from '../../src/config/database-url.ts';
import type { Assembled } from '../../src/gatehouse.ts';
import { executeOnPostgres, withSqlite } from '../support/admin.ts';
import { type App, type Member, signUp, startApp, tokenOf } from '../support/app.ts';
import { describeEachBackend, type TestDatabase } from '../support/backends.ts';
import { type Call, doorsOn } from '../support/doors.ts';
import { newAddress, signUpSuperuser } from '../support/people.ts';

const inUse = { ok: false, code: 'user_in_use', status: 409 };

/** The ways in which a host's table may refer to ours. */
const references = [
  ['NO ACTION', ''],
  ['RESTRICT', 'on delete restrict'],
  ['a constraint that is checked at the end of the transaction', 'deferrable initially deferred'],
] as const;

describeEachBackend(
  "a host's table that refers to users",
  backend => {
    let database: TestDatabase;
    let app: App;
    const root = { token: '', id: '' };
    beforeAll(async () => {
      database = await backend.lendDatabase();
      app = await startApp({
        databaseUrl: database.url,
        settings: { enableAdminRouter: true, enableSms2fa: true },
      });
      Object.assign(root, await signUpSuperuser(app));
      for (const [i, [, rule]] of references.entries()) {
        await execute(
          `create table orders_${i} (id text primary key, user_id text not null references users (id) ${rule})`,
        );
      }
      await execute('create table notes (user_id text not null references users (id) on delete cascade)');
    });
    afterEach(() => vi.restoreAllMocks());
    afterAll(async () => {
      await app?.close();
      await database?.drop();
    });

    async function execute(statement: string): Promise<void> {
      const parsed = parseDatabaseUrl(database.url, 'svc');
      if (parsed.backend === 'postgresql') await executeOnPostgres(parsed.url, statement);
      else await withSqlite((parsed as { path: string }).path, file => file.exec(statement));
    }

    const refer = (i: number, userId: string) =>
      execute(`insert into orders_${i} values ('${randomUUID()}', '${userId}')`);
    const release = (i: number, userId: string) =>
      execute(`delete from orders_${i} where user_id = '${userId}'`);

    /** A member with everything that an account can have: a phone, an identity, a code, a link that was mailed. */
    async function settled(): Promise<Member> {
      const member = await signUp(app);
      const { users, oauth_identities, mfa_codes } = app.gatehouse.repositories;
      const now = app.clock.now();
      await users.change(member.id, { set: { isVerified: false } });
      await app.rest('POST', `/admin/users/${member.id}/resend-verification`, undefined, root);
      const identity = {
        provider: 'google',
        issuer: '',
        subjectId: randomUUID(),
        userId: member.id,
        email: null,
      };
      await oauth_identities.add({ id: randomUUID(), ...identity, linkedAt: now, lastUsedAt: null });
      const expiresAt = new Date(now.getTime() + 300_000);
      const code = { phoneNumber: '+15550100', codeHash: 'hash', attempts: 0, createdAt: now, expiresAt };
      await mfa_codes.replace({ userId: member.id, kind: 'login', ...code });
      await users.change(member.id, { set: { phoneNumber: '+15550100', isMfaEnabled: true } });
      return member;
    }

    /** Everything that is stored of a member. */
    async function stored({ id, email }: Member) {
      const { users, oauth_identities, mfa_codes, pending } = app.gatehouse.repositories;
      return {
        user: await users.find(id),
        identities: await oauth_identities.listByUser(id),
        code: await mfa_codes.find(id, 'login'),
        link: await pending.find(email),
      };
    }

    describe.each(doorsOn(backend))('through $name', door => {
      let call: Call;
      beforeAll(() => {
        call = door.at(app);
      });
      const deleteSelf = ({ token, password }: Member) =>
        call('deleteAccount', { current_password: password }, { token });

      test.each(references.map(([name], i) => [name, i] as const))(
        'forbids a deletion by %s, and nothing has changed',
        async (_, i) => {
          const member = await settled();
          await refer(i, member.id);
          const before = await stored(member);
          const deleted: unknown[] = [];
          const off = app.gatehouse.on('user_deleted', event => void deleted.push(event));

          expect(await deleteSelf(member)).toEqual(inUse);
          expect(await call('adminDeleteUser', { id: member.id }, root)).toEqual(inUse);
          expect(await stored(member)).toEqual(before);
          expect(await call('me', undefined, member)).toMatchObject({ ok: true, value: { is_active: true } });
          expect(deleted).toEqual([]);

          await release(i, member.id);
          expect(await deleteSelf(member)).toMatchObject({ ok: true });
          off();
          expect(deleted).toHaveLength(1);
          expect(await stored(member)).toEqual({ user: null, identities: [], code: null, link: null });
          expect(await call('me', undefined, member)).toMatchObject({ code: 'unauthenticated' });
        },
      );

      test('forbids the deletion of a superuser, who stays one', async () => {
        const member = await signUpSuperuser(app);
        await refer(0, member.id);
        const before = await stored(member);
        expect(await deleteSelf(member)).toEqual(inUse);
        expect(await call('adminDeleteUser', { id: member.id }, root)).toEqual(inUse);
        expect(await stored(member)).toEqual(before);
        expect(await call('adminStats', undefined, member)).toMatchObject({ ok: true });
        await release(0, member.id);
        expect(await deleteSelf(member)).toMatchObject({ ok: true });
      });

      test('goes along with the account where it says so', async () => {
        const member = await signUp(app);
        await execute(`insert into notes values ('${member.id}')`);
        expect(await deleteSelf(member)).toMatchObject({ ok: true });
      });
    });

    /** The doors that delete and are no door of a request. */
    const otherDoors = {
      'the server API': (id: string) => app.gatehouse.users.remove(id),
      'the command line': (id: string) => (app.gatehouse as Assembled).operator.remove({ id }),
    };

    test.each(Object.entries(otherDoors))('forbids the same through %s', async (_, remove) => {
      for (const i of references.keys()) {
        const member = await settled();
        await refer(i, member.id);
        const before = await stored(member);
        await expect(remove(member.id)).rejects.toMatchObject({
          name: 'GatehouseError',
          code: 'user_in_use',
        });
        expect(await stored(member)).toEqual(before);
        expect((await app.rest('GET', '/me', undefined, member)).status).toBe(200);
        await release(i, member.id);
        expect(await remove(member.id)).toMatchObject({ id: member.id });
        expect(await stored(member)).toEqual({ user: null, identities: [], code: null, link: null });
      }
    });

    test('keeps even a registration that was left beside the account', async () => {
      // A stop in the middle of a verification leaves it.
      const email = newAddress();
      const { pending, users } = app.gatehouse.repositories;
      await app.rest('POST', '/register', { email, password: 'correct horse battery' });
      const left = (await pending.find(email))!;
      await app.rest('POST', '/verify', { token: tokenOf(await app.nextMail(email)) });
      await pending.add(left);
      const { id } = (await users.findByEmail(email))!;
      await refer(0, id);
      await expect(app.gatehouse.users.remove(id)).rejects.toMatchObject({ code: 'user_in_use' });
      expect(await pending.find(email)).toEqual(left);
      await release(0, id);
      await app.gatehouse.users.remove(id);
      expect(await pending.find(email)).toBeNull();
    });

    test('leaves the process fit for work, and no trace of the row in the log', async () => {
      const member = await signUp(app);
      await refer(0, member.id);
      const { password: current_password } = member;
      const replies = await Promise.all(
        Array.from({ length: 20 }, () => app.rest('DELETE', '/account', { current_password }, member)),
      );
      expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([409]));
      expect((await app.rest('GET', '/me', undefined, member)).status).toBe(200);
      expect(JSON.stringify(app.logs)).not.toMatch(/orders_0|foreign key/i);
    });
  },
  { only: ['sqlite', 'postgresql'] },
);

describeEachBackend('a deletion that stops after the user', backend => {
  let app: App;
  beforeAll(async () => {
    app = await startApp({ backend });
  });
  afterEach(() => vi.restoreAllMocks());
  afterAll(() => app?.close());

  test('leaves nothing that opens anything, and the address is free', async () => {
    // The process is killed when the row of the user is gone and the rest is still there.
    const { repositories } = app.gatehouse;
    const { users, oauth_identities, mfa_codes, pending } = repositories;
    const member = await signUp(app);
    const now = app.clock.now();
    const identity = {
      provider: 'google',
      issuer: '',
      subjectId: randomUUID(),
      userId: member.id,
      email: null,
    };
    await oauth_identities.add({ id: randomUUID(), ...identity, linkedAt: now, lastUsedAt: null });
    await users.change(member.id, { set: { isVerified: false } });
    await app.rest('POST', '/resend-verification', { email: member.email });
    const link = tokenOf(await app.nextMail(member.email));
    const killed = async () => Promise.reject(new Error('killed'));
    vi.spyOn(oauth_identities, 'removeAll').mockImplementation(killed);
    vi.spyOn(mfa_codes, 'removeAll').mockImplementation(killed);
    vi.spyOn(pending, 'removeBeside').mockImplementation(killed);
    const body = { current_password: member.password };
    expect((await app.rest('DELETE', '/account', body, member)).status).toBe(500);
    vi.restoreAllMocks();

    expect(await users.find(member.id)).toBeNull();
    expect(await pending.find(member.email)).not.toBeNull();
    expect((await app.rest('GET', '/me', undefined, member)).status).toBe(401);
    expect((await app.rest('POST', '/verify', { token: link })).body.code).toBe('invalid_token');
    expect(await users.findByEmail(member.email)).toBeNull();
    const again = await signUp(app, member.email);
    expect(again.id).not.toBe(member.id);
    expect(await oauth_identities.listByUser(again.id)).toEqual([]);
  });

  test('does not revive a registration that the account has left behind', async () => {
    // A registration was stored while its address was being verified by another one.
    const { users, pending } = app.gatehouse.repositories;
    const email = newAddress();
    await app.rest('POST', '/register', { email, password: 'a stranger chose this one' });
    const left = (await pending.find(email))!;
    const token = tokenOf(await app.nextMail(email));
    await app.rest('POST', '/verify', { token });
    const { body } = await app.rest('POST', '/login', { email, password: 'a stranger chose this one' });
    await pending.add(left);
    const deletion = { current_password: 'a stranger chose this one' };
    const reply = await app.rest('DELETE', '/account', deletion, { token: body.access_token });
    expect(reply.status).toBe(200);
    expect(await pending.find(email)).toBeNull();
    expect(await users.findByEmail(email)).toBeNull();
  });
});
