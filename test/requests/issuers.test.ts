import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newUser } from '../../src/domain/new-user.ts';
import { logIn, signUp } from '../support/app.ts';
import { describeStory, type TestDatabase } from '../support/backends.ts';
import { type External, startExternal } from '../support/external.ts';
import { newAddress, newSubject } from '../support/people.ts';

// An operator moves to another provider, which keeps its name in the configuration; its subjects are other people.
describeStory(
  'another issuer under the same name',
  backend => {
    let database: TestDatabase;
    let former: External;
    let present: External;
    beforeAll(async () => {
      database = await backend.lendDatabase();
      former = await startExternal({ databaseUrl: database.url });
      present = await startExternal({ databaseUrl: database.url });
    });
    afterAll(async () => {
      await former?.close();
      await present?.close();
      await database?.drop();
    });

    // Shows asvs/6.8.1.
    test('does not sign in as the subject of the former one, and makes an account of its own', async () => {
      const sub = newSubject();
      const owner = await former.me((await former.sessionOf(sub))!);
      const stranger = { sub, email: `${randomUUID()}@elsewhere.example` };
      const other = await present.me((await present.sessionOf(stranger))!);
      expect(other.id).not.toBe(owner.id);
      // Both go on as they were.
      expect((await present.me((await present.sessionOf(stranger))!)).id).toBe(other.id);
      expect((await former.me((await former.sessionOf(sub))!)).id).toBe(owner.id);
    });

    test('does not sign in by the address either, where accounts are not joined', async () => {
      const sub = newSubject();
      await former.sessionOf(sub);
      expect((await present.signIn(sub)).searchParams.get('error')).toBe('email_in_use');
    });

    test('is linked once the identity of the former one is unlinked', async () => {
      const member = await signUp(former.app);
      const { token } = member;
      await former.link(member, newSubject());
      const sub = newSubject();
      expect((await present.link(member, sub)).searchParams.get('error')).toBe('already_linked');
      const unlinked = await present.app.rest('DELETE', '/oauth/google/link', undefined, { token });
      expect(unlinked.status).toBe(200);
      expect((await present.link(member, sub)).searchParams.get('linked')).toBe('google');
      expect((await present.me((await present.sessionOf(sub))!)).id).toBe(member.id);
    });

    test('an identity that the former version has stored meanwhile signs in, and belongs to this issuer then', async () => {
      const [sub, email] = [newSubject(), newAddress()];
      const { users, oauth_identities } = present.app.gatehouse.repositories;
      const now = present.app.clock.now();
      const user = newUser(now, { email, fullName: null, hashedPassword: null, isVerified: true });
      await users.add(user);
      await oauth_identities.add({
        ...{ id: randomUUID(), provider: 'google', issuer: '', subjectId: sub, userId: user.id },
        ...{ email: null, linkedAt: now, lastUsedAt: null },
      });
      expect((await present.me((await present.sessionOf(sub))!)).id).toBe(user.id);
      expect(await present.identitiesOf(user)).toMatchObject([{ issuer: present.provider.issuer }]);
      const stranger = { sub, email: `${randomUUID()}@elsewhere.example` };
      expect((await former.me((await former.sessionOf(stranger))!)).id).not.toBe(user.id);
    });

    // Shows asvs/7.1.3.
    test('a session of the one is a session of the other: only the identities are parted', async () => {
      const member = await signUp(former.app);
      expect((await present.me(await logIn(present.app, member))).id).toBe(member.id);
    });
  },
  { only: ['sqlite', 'postgresql', 'mongodb'] },
);
