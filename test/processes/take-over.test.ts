import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { type Assembled, assemble } from '../../src/gatehouse.ts';
import { jwtSecret, newPassword, password } from '../support/app.ts';
import { describeEachBackend } from '../support/backends.ts';
import { type InstantProvider, startInstantProvider } from '../support/instant-provider.ts';
import { baseUrl } from '../support/oidc.ts';
import { type Pair, startPair, tally } from '../support/pair.ts';
import { newAddress } from '../support/people.ts';
import { repetitions } from '../support/repetitions.ts';

const tries = repetitions(8);
/** How many links the stranger has under way. */
const links = 24;

let provider: InstantProvider;
beforeAll(async () => {
  provider = await startInstantProvider();
});
afterAll(() => provider?.close());

// A stranger in an account links identities at two servers, over and over, while a third process takes the account away.
describeEachBackend(
  'an account that is taken from a stranger while two processes link to it',
  backend => {
    let pair: Pair;
    let console: Assembled;
    beforeAll(async () => {
      const { googleClientId, googleClientSecret, googleIssuer } = provider.settings;
      pair = await startPair(backend, {
        SVC_BASE_URL: baseUrl,
        SVC_ENABLE_OAUTH: 'true',
        SVC_REQUIRE_VERIFICATION: 'false',
        SVC_OAUTH__GOOGLE_CLIENT_ID: googleClientId,
        SVC_OAUTH__GOOGLE_CLIENT_SECRET: googleClientSecret,
        SVC_OAUTH__GOOGLE_ISSUER: googleIssuer,
        // The same issuer under another name.
        SVC_OAUTH__PROVIDERS__OTHER__ISSUER: googleIssuer,
        SVC_OAUTH__PROVIDERS__OTHER__CLIENT_ID: googleClientId,
        SVC_OAUTH__PROVIDERS__OTHER__CLIENT_SECRET: googleClientSecret,
      });
      const { config } = loadConfig({
        arguments: { jwtSecret, databaseUrl: pair.databaseUrl },
        env: {},
        cwd: import.meta.dirname,
      });
      const silent = { debug() {}, info() {}, warn() {}, error() {} };
      console = await assemble(config, { logger: silent });
    });
    afterAll(async () => {
      await console?.close();
      await pair?.close();
    });

    /** A stranger's account, and all the ways back from the provider that the stranger has ready. */
    async function begin() {
      const email = newAddress();
      const { id } = await pair.addUser(email);
      const { body } = await pair.rest('POST', '/login', { email, password });
      const token: string = body.access_token;
      const answers: { subject: string; search: string }[] = [];
      for (let i = 0; i < links; i++) {
        const subject = `s${randomUUID()}`;
        const { body: start } = await pair.rest('POST', '/oauth/google/link/start', {}, { token });
        answers.push({ subject, search: provider.answerTo(start.authorization_url, { sub: subject }) });
      }
      return { id, email, token, answers };
    }

    /** Links and unlinks as fast as it can, at both servers, until the account is taken and everything is used up. */
    async function attack({ token, answers }: Awaited<ReturnType<typeof begin>>): Promise<void> {
      for (const { search } of answers) {
        await pair.atOnce(2, (i, options) =>
          i === 0
            ? pair.rest('GET', `/oauth/google/callback${search}`, undefined, options)
            : pair.rest('DELETE', '/oauth/google/link', undefined, { ...options, token }),
        );
      }
    }

    /** No identity signs in any more. */
    async function expectClean({ id, token, answers }: Awaited<ReturnType<typeof begin>>): Promise<void> {
      expect(await pair.repositories.oauth_identities.listByUser(id)).toEqual([]);
      expect((await pair.rest('GET', '/me', undefined, { token })).status).toBe(401);
      for (const { subject } of answers) {
        const voucher = { name: 'google', issuer: provider.issuer };
        const identity = await pair.repositories.oauth_identities.findBySubject(voucher, subject);
        expect(identity?.userId).not.toBe(id);
      }
    }

    test('by `svc create-admin --take-over`, keeps no identity', async () => {
      for (let i = 0; i < tries; i++) {
        const stranger = await begin();
        const take = console.operator.takeOver({ email: stranger.email });
        const [url] = await Promise.all([take, attack(stranger)]);
        await expectClean(stranger);
        const token = new URL(url).searchParams.get('token');
        const accepted = await pair.rest('POST', '/accept-invitation', { token, password: newPassword });
        expect(accepted.status).toBe(200);
        const login = { email: stranger.email, password: newPassword };
        expect((await pair.rest('POST', '/login', login)).status).toBe(200);
      }
    });

    test('by the first reset, keeps no identity', async () => {
      for (let i = 0; i < tries; i++) {
        const stranger = await begin();
        const { id, email } = stranger;
        await pair.rest('POST', '/forgot-password', { email });
        const [token] = await pair.written(new RegExp(`^mail to ${email}: [^]*?token=(\\S+)$`, 'gm'));
        // The links were begun under a version that let everybody begin them.
        await pair.repositories.users.change(id, { set: { isVerified: false } });
        const body = { token, new_password: newPassword };
        const [reply] = await Promise.all([pair.rest('POST', '/reset-password', body), attack(stranger)]);
        expect(reply.status).toBe(200);
        await expectClean(stranger);
        expect(await pair.repositories.users.find(id)).toMatchObject({ isVerified: true });
      }
    });

    test('two requests that unlink the last two ways in leave one of them', async () => {
      for (let i = 0; i < repetitions(20); i++) {
        const email = newAddress();
        const { id } = await pair.addUser(email);
        const { body } = await pair.rest('POST', '/login', { email, password });
        await pair.repositories.users.change(id, { set: { hashedPassword: null } });
        const names = ['google', 'other'];
        for (const name of names) {
          await pair.repositories.oauth_identities.add({
            ...{ id: randomUUID(), provider: name, issuer: provider.issuer, subjectId: randomUUID() },
            ...{ userId: id, email: null, linkedAt: new Date(), lastUsedAt: null },
          });
        }
        const token: string = body.access_token;
        const replies = await pair.atOnce(2, (n, options) =>
          pair.rest('DELETE', `/oauth/${names[n]}/link`, undefined, { ...options, token }),
        );
        const left = await pair.repositories.oauth_identities.listByUser(id);
        const { 200: unlinked = 0, last_sign_in_method: refused = 0 } = tally(replies);
        expect(unlinked + refused).toBe(2);
        expect(left).toHaveLength(2 - unlinked);
        expect(left).not.toEqual([]);
      }
    });
  },
  { only: ['sqlite', 'postgresql', 'mongodb'] },
);
