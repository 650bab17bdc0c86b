import { afterAll, beforeAll, expect, test } from 'vitest';
import { dataEncryptionKey, password } from '../support/app.ts';
import { describeEachBackend } from '../support/backends.ts';
import { baseUrl } from '../support/oidc.ts';
import { type Pair, startPair, tally } from '../support/pair.ts';
import { Passkey } from '../support/passkeys.ts';
import { newAddress } from '../support/people.ts';

describeEachBackend(
  'passkeys at two processes',
  backend => {
    let pair: Pair;
    beforeAll(async () => {
      const settings = {
        SVC_BASE_URL: baseUrl,
        SVC_ENABLE_PASSKEYS: 'true',
        SVC_DATA_ENCRYPTION_KEY: dataEncryptionKey,
        SVC_RATE_LIMIT_DISABLED: 'true',
      };
      pair = await startPair(backend, settings);
    });
    afterAll(() => pair?.close());

    test('a challenge of one is answered at the other, and of many answers at once one counts', async () => {
      const { email } = await pair.addUser(newAddress());
      const login = await pair.rest('POST', '/login', { email, password });
      const token = login.body.access_token;
      const key = new Passkey(baseUrl);
      const setup = await pair.rest('POST', '/passkeys/start', {}, { token, at: 0 });
      const created = { id: setup.body.id, credential: key.create(setup.body.options) };
      const added = await pair.atOnce(10, (_i, options) =>
        pair.rest('POST', '/passkeys/confirm', created, { token, ...options }),
      );
      expect(tally(added)).toEqual({ 200: 1, not_found: 9 });

      const begun = await pair.rest('POST', '/login/passkey/start', {}, { at: 1 });
      const answer = { id: begun.body.id, credential: key.get(begun.body.options) };
      const replies = await pair.atOnce(20, (_i, options) =>
        pair.rest('POST', '/login/passkey', answer, options),
      );
      expect(tally(replies)).toEqual({ 200: 1, not_found: 19 });
    });
  },
  { only: ['sqlite', 'postgresql', 'mongodb'] },
);
