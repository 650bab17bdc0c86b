import { afterAll, beforeAll, expect, test } from 'vitest';
import { type App, type Member, signUp, startApp } from '../support/app.ts';
import { describeStory, type TestDatabase } from '../support/backends.ts';
import { type InstantProvider, startInstantProvider } from '../support/instant-provider.ts';
import { baseUrl } from '../support/oidc.ts';
import { newSubject } from '../support/people.ts';

// An operator renames a provider, and gives its name to another one: an identity belongs to its issuer, not to the name.
describeStory(
  'providers whose names were exchanged',
  backend => {
    let database: TestDatabase;
    let one: InstantProvider;
    let two: InstantProvider;
    let before: App;
    let after: App;
    const start = (providers: Record<string, InstantProvider['table']>) =>
      startApp({
        databaseUrl: database.url,
        settings: { baseUrl, enableOauth: true, oauth: { providers, autoLinkVerifiedEmails: true } },
      });
    beforeAll(async () => {
      database = await backend.lendDatabase();
      [one, two] = await Promise.all([startInstantProvider(), startInstantProvider()]);
      before = await start({ first: one.table, second: two.table });
      after = await start({ first: two.table, second: one.table });
    });
    afterAll(async () => {
      await before?.close();
      await after?.close();
      await one?.close();
      await two?.close();
      await database?.drop();
    });

    async function callBack(app: App, provider: string, query: string) {
      const { headers } = await app.rest('GET', `/oauth/${provider}/callback${query}`);
      return new URL(headers.get('Location')!).searchParams;
    }
    async function link(app: App, provider: string, at: InstantProvider, { token }: Member, sub: string) {
      const { body } = await app.rest('POST', `/oauth/${provider}/link/start`, {}, { token });
      return callBack(app, provider, at.answerTo(body.authorization_url, { sub }));
    }
    async function signIn(app: App, provider: string, at: InstantProvider, sub: string, email?: string) {
      const { headers } = await app.rest('GET', `/oauth/${provider}/start`);
      return callBack(app, provider, at.answerTo(headers.get('Location')!, { sub, ...(email && { email }) }));
    }
    const namesOf = async (app: App, { token }: Member): Promise<string[]> => {
      const { body } = await app.rest('GET', '/oauth/providers', undefined, { token });
      return body.linked.map((each: { provider: string }) => each.provider);
    };
    const issuersOf = async ({ id }: Member) =>
      (await after.gatehouse.repositories.oauth_identities.listByUser(id)).map(({ issuer }) => issuer);

    test('the one that is listed under a name is unlinked by it', async () => {
      const member = await signUp(before);
      await link(before, 'first', one, member, newSubject());
      await link(before, 'second', two, member, newSubject());
      expect(await namesOf(after, member)).toEqual(['second', 'first']);
      const { token } = member;
      expect((await after.rest('DELETE', '/oauth/first/link', undefined, { token })).status).toBe(200);
      expect(await namesOf(after, member)).toEqual(['second']);
      expect(await issuersOf(member)).toEqual([one.issuer]);
    });

    test('one that is linked under the former name does not keep the present one from being linked', async () => {
      const member = await signUp(before);
      await link(before, 'first', one, member, newSubject());
      expect((await link(after, 'second', one, member, newSubject())).get('error')).toBe('already_linked');
      expect((await link(after, 'first', two, member, newSubject())).get('linked')).toBe('first');
      expect((await namesOf(after, member)).sort()).toEqual(['first', 'second']);
    });

    test('a second subject of the same issuer is not linked by its address', async () => {
      const member = await signUp(before);
      await link(before, 'first', one, member, newSubject());
      const ended = await signIn(after, 'second', one, newSubject(), member.email);
      expect(ended.get('error')).toBe('already_linked');
      expect(await issuersOf(member)).toEqual([one.issuer]);
    });
  },
  { only: ['sqlite', 'postgresql', 'mongodb'] },
);
