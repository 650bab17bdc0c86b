import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { Refusal } from '../../src/index.ts';
import { signUp } from '../support/app.ts';
import { describeStory, type TestDatabase } from '../support/backends.ts';
import { type External, startExternal } from '../support/external.ts';
import { askedHost } from '../support/hooks.ts';
import { type InstantProvider, startInstantProvider } from '../support/instant-provider.ts';
import { addressOf } from '../support/oidc.ts';
import { newSubject } from '../support/people.ts';
import { rowsIn } from '../support/rows.ts';

// Hooks of an external sign-in (CONTRACT §15.4): the callback leads to the login page with the code.

const host = askedHost();
beforeEach(() => host.reset());
const refuse = (hook: string) =>
  host.answer((...[asked]) => {
    if (asked === hook) throw new Refusal('Not on a Sunday.');
  });

let provider: InstantProvider;
beforeAll(async () => {
  provider = await startInstantProvider();
});
afterAll(() => provider?.close());

describeStory(
  'an external sign-in',
  backend => {
    let database: TestDatabase;
    const sites: Partial<Record<string, External>> = {};
    beforeAll(async () => {
      database = await backend.lendDatabase();
      for (const existingEmailPolicy of ['refuse', 'auto_link_verified', 'create_new']) {
        const settings = { oauth: { existingEmailPolicy } };
        const options = { databaseUrl: database.url, hooks: host.hooks, settings };
        sites[existingEmailPolicy] = await startExternal(options, provider);
      }
    });
    afterAll(async () => {
      for (const site of Object.values(sites)) await site?.app.close();
      await database?.drop();
    });
    const at = (policy = 'refuse') => sites[policy]!;

    /** What is stored beside the state, which every callback uses up, and what was sent. */
    async function traces() {
      const { oauth_states: _, ...rows } = await rowsIn(database.url);
      return { rows, mails: Object.values(sites).map(site => site!.app.mails.length) };
    }

    /** Goes to the provider and back, and returns the error code of the page where it ends. */
    async function refused(external: External, subject: string): Promise<string | null> {
      const before = await traces();
      const ended = await external.signIn(subject);
      expect(ended.pathname).toBe('/account/login');
      expect(await traces()).toEqual(before);
      return ended.searchParams.get('error');
    }

    test('of somebody new asks both hooks before the account is stored', async () => {
      const subject = newSubject();
      const before = await traces();
      host.answer(async (...[hook]) => {
        if (hook === 'beforeSignIn') expect(await traces()).toEqual(before);
      });
      expect(await at().sessionOf(subject)).not.toBeNull();
      expect(host.asked).toEqual([
        ['beforeRegister', { email: addressOf(subject), fullName: null, fields: {}, provider: 'google' }],
        [
          'beforeSignIn',
          {
            user: expect.objectContaining({ email: addressOf(subject), isVerified: true }),
            method: 'oauth',
          },
        ],
      ]);
    });

    test.each(['beforeRegister', 'beforeSignIn'])(
      'of somebody new, refused by %s, leaves nothing',
      async hook => {
        const subject = newSubject();
        refuse(hook);
        expect(await refused(at(), subject)).toBe('refused_by_host');
        host.reset();
        expect(await at().sessionOf(subject)).not.toBeNull();
      },
    );

    test('to a linked account asks about the sign-in alone, and a refused one was no use of the identity', async () => {
      const subject = newSubject();
      await at().sessionOf(subject);
      host.reset();
      refuse('beforeSignIn');
      at().app.clock.advance(1000);
      expect(await refused(at(), subject)).toBe('refused_by_host');
      expect(host.asked.map(([hook]) => hook)).toEqual(['beforeSignIn']);
      const {
        act,
        outcome,
        reason,
        subject: whom,
      } = at().app.logs.findLast(({ message }) => message === 'audit')!.fields as Record<string, unknown>;
      const { id } = (host.asked[0]![1] as { user: { id: string } }).user;
      expect([act, outcome, reason, whom]).toEqual(['oauthCallback', 'refused', 'refused_by_host', id]);
    });

    test('that would link an account by its address links nothing, and tells its owner nothing', async () => {
      const external = at('auto_link_verified');
      const subject = newSubject();
      const member = await signUp(external.app, addressOf(subject));
      host.reset();
      refuse('beforeSignIn');
      expect(await refused(external, subject)).toBe('refused_by_host');
      expect(host.asked.map(([hook]) => hook)).toEqual(['beforeSignIn']);
      expect(await external.identitiesOf(member)).toEqual([]);
      host.reset();
      expect(await external.sessionOf(subject)).not.toBeNull();
      expect((await external.app.nextMail(addressOf(subject))).subject).toContain('A sign-in was linked');
    });

    test('with an address that has an account is answered as one with a new address', async () => {
      // The answer of a host that knows some addresses only must not reveal which of the others have an account.
      for (const policy of ['refuse', 'create_new']) {
        const external = at(policy);
        const known = newSubject();
        host.reset();
        await signUp(external.app, addressOf(known));
        host.reset();
        refuse('beforeRegister');
        for (const subject of [known, newSubject()]) {
          expect(await refused(external, subject)).toBe('refused_by_host');
          expect(host.asked.at(-1)).toEqual([
            'beforeRegister',
            { email: addressOf(subject), fullName: null, fields: {}, provider: 'google' },
          ]);
        }
      }
    });

    test('ends as unavailable when a hook fails or does not answer', async () => {
      host.answer(() => {
        throw new TypeError('a mistake of the host');
      });
      expect(await refused(at(), newSubject())).toBe('unavailable');
      host.answer(() => new Promise(() => {}));
      const asked = host.whenAsked();
      const ending = refused(at(), newSubject());
      await asked;
      at().app.clock.advance(2000);
      expect(await ending).toBe('unavailable');
      const failures = at().app.logs.filter(({ level }) => level === 'error');
      expect(failures.map(({ fields }) => fields)).toEqual([
        { hook: 'beforeRegister', err: expect.any(TypeError) },
        { hook: 'beforeRegister', err: expect.any(Error) },
      ]);
    });

    test('uses its state up, whatever the host says', async () => {
      const url = await at().start();
      refuse('beforeRegister');
      const subject = newSubject();
      expect((await at().comeBack(url, subject)).searchParams.get('error')).toBe('refused_by_host');
      host.reset();
      expect((await at().comeBack(url, subject)).searchParams.get('error')).toBe('bad_state');
    });

    test('that only links an identity to an account asks nothing', async () => {
      const member = await signUp(at().app);
      host.reset();
      const ended = await at().link(member, newSubject());
      expect(ended.searchParams.get('linked')).toBe('google');
      expect(host.asked).toEqual([]);
    });
  },
  { only: ['sqlite', 'postgresql', 'mongodb'] },
);
