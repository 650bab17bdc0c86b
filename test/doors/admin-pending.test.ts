import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type App, logIn, type Member, password, startApp, tokenOf } from '../support/app.ts';
import { describeEachDriver } from '../support/backends.ts';
import { type Call, doorsOn, resultOf } from '../support/doors.ts';
import { newAddress, signUpSuperuser, startAdministration } from '../support/people.ts';
import { addUsers, list } from './administration.ts';

const admin = { enableAdminRouter: true };

describeEachDriver('administration', backend => {
  let app: App;
  let root: Member;
  beforeAll(async () => {
    ({ app, root } = await startAdministration(backend));
  });
  afterAll(() => app?.close());
  const asRoot = () => ({ token: root.token });
  const users = () => app.gatehouse.repositories.users;

  describe.each(doorsOn(backend))('through $name', door => {
    let call: Call;
    beforeAll(() => {
      call = door.at(app);
    });

    const search = (text: string, limit = 50) =>
      list(door, app, root.token, 'users', { search: text, limit });

    describe('pending registrations', () => {
      const pending = (text: string) => list(door, app, root.token, 'pendingRegistrations', { search: text });

      test('are listed while they wait, and not those of users or of the past', async () => {
        const tag = randomUUID();
        const email = `waiting-${tag}@example.org`;
        await app.rest('POST', '/register', { email, password, full_name: `Ada ${tag}` });
        expect(await pending(tag.toUpperCase())).toEqual({ ok: true, emails: [email], total: 1 });
        expect(await pending(`ada ${tag}`)).toMatchObject({ total: 1 });

        const [id] = await addUsers(app, [{ email: `user-${tag}@example.org` }]);
        await users().change(id!, { set: { isVerified: false } });
        await resultOf(call('adminResendVerification', { id }, asRoot()));
        expect(await pending(tag)).toMatchObject({ emails: [email], total: 1 });
      });

      test('end with their link, in every list and count', async () => {
        const own = await startApp({ backend, settings: { ...admin, verificationTokenTtlSeconds: 60 } });
        const { token } = await signUpSuperuser(own);
        const email = newAddress();
        await own.rest('POST', '/register', { email, password });
        own.clock.advance(60_000);
        const options = { token };
        expect(await list(door, own, token, 'pendingRegistrations')).toMatchObject({ emails: [], total: 0 });
        expect(await resultOf(door.at(own)('adminStats', undefined, options))).toMatchObject({
          pending_registrations: 0,
        });
        expect(await door.at(own)('adminPromotePending', { email }, options)).toMatchObject({
          code: 'not_found',
        });
        await own.close();
      });

      test('come in the order of their addresses, the same on every database', async () => {
        const tag = randomUUID().slice(0, 8);
        const emails = ['a', 'a-b', 'a.b', 'ab', 'a_b', 'a+b', 'b', 'a0', '~a'].map(
          name => `${name}.${tag}@example.org`,
        );
        for (const email of emails) {
          await app.gatehouse.repositories.pending.add({
            email,
            tokenHash: randomUUID(),
            userId: null,
            hashedPassword: null,
            passwordForm: null,
            fullName: null,
            isContested: false,
            claimedAt: null,
            fields: null,
            fieldsAt: null,
            locale: null,
            createdAt: app.clock.now(),
            expiresAt: new Date(app.clock.now().getTime() + 1000),
          });
        }
        const listed = await pending(tag);
        expect('emails' in listed && listed.emails).toEqual(emails.toSorted());
      });

      test('become verified users without the mail, and their link is dead', async () => {
        const email = `${randomUUID()}+x/y%@example.org`;
        await app.rest('POST', '/register', { email, password, full_name: 'Ada' });
        const link = tokenOf(await app.nextMail(email));
        const events: string[] = [];
        const offs = (['user_registered', 'user_verified'] as const).map(name =>
          app.gatehouse.on(name, ({ user }) => void (user.email === email && events.push(name))),
        );
        const user = await resultOf(call('adminPromotePending', { email }, asRoot()));
        for (const off of offs) off();
        expect(user).toMatchObject({ email, full_name: 'Ada', is_verified: true, is_superuser: false });
        expect(events).toEqual(['user_registered', 'user_verified']);
        expect(await call('verify', { token: link })).toMatchObject({ code: 'invalid_token' });
        expect(await call('adminPromotePending', { email }, asRoot())).toMatchObject({ code: 'not_found' });
        expect(await pending(email)).toMatchObject({ total: 0 });
        const token = await logIn(app, { email, password });
        expect(await resultOf(call('me', undefined, { token }))).toMatchObject({ id: user.id });
      });

      test('that do not exist are not found, nor are those that verify an existing user', async () => {
        const missing = { ok: false, code: 'not_found', status: 404 };
        expect(await call('adminPromotePending', { email: newAddress() }, asRoot())).toEqual(missing);
        const [id] = await addUsers(app, [{ email: newAddress() }]);
        await users().change(id!, { set: { isVerified: false } });
        const { email } = (await users().find(id!))!;
        await resultOf(call('adminResendVerification', { id }, asRoot()));
        expect(await call('adminPromotePending', { email }, asRoot())).toEqual(missing);
        expect(await users().find(id!)).toMatchObject({ isVerified: false });
      });

      test('are promoted once, however many try at once', async () => {
        const email = newAddress();
        await app.rest('POST', '/register', { email, password });
        const link = tokenOf(await app.nextMail(email));
        const answers = await Promise.all([
          ...Array.from({ length: 4 }, () => call('adminPromotePending', { email }, asRoot())),
          ...Array.from({ length: 4 }, () => call('verify', { token: link })),
        ]);
        expect(answers.filter(answer => answer.ok)).toHaveLength(1);
        expect(await search(email)).toMatchObject({ total: 1 });
      });

      test('of a malformed address are refused', async () => {
        expect(await call('adminPromotePending', { email: 'nobody' }, asRoot())).toMatchObject({
          code: 'invalid_input',
          errors: [{ path: 'email' }],
        });
      });
    });
  });
});
