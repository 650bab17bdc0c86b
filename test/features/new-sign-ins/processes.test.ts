import { afterAll, beforeAll, expect, test } from 'vitest';
import { dataEncryptionKey, password } from '../../support/app.ts';
import { describeEachBackend } from '../../support/backends.ts';
import { type Pair, startPair, tally } from '../../support/pair.ts';
import { newAddress } from '../../support/people.ts';

const many = 12;

// Two processes on one database, asked at the same moment.
describeEachBackend(
  'the link "this was not me" and two processes',
  backend => {
    let pair: Pair;
    beforeAll(async () => {
      pair = await startPair(backend, {
        SVC_ENABLE_SESSION_LIST: 'true',
        SVC_NOTIFY_NEW_SIGN_IN: 'true',
        SVC_DATA_ENCRYPTION_KEY: dataEncryptionKey,
      });
    });
    afterAll(() => pair?.close());

    test('tell of a new place once, and close the account once', async () => {
      const email = newAddress();
      const { id } = await pair.addUser(email);
      const replies = await pair.atOnce(many, (_, options) =>
        pair.rest('POST', '/login', { email, password }, options),
      );
      expect(tally(replies)).toEqual({ 200: many });
      expect(await pair.repositories.not_me_links.listByUser(id)).toHaveLength(1);
      const [token] = await pair.written(/\/not-me\?token=([\w-]{43})/g);

      const reports = await pair.atOnce(many, (_, options) =>
        pair.rest('POST', '/not-me', { token }, options),
      );
      expect(tally(reports)).toEqual({ 200: 1, invalid_token: many - 1 });

      const login = await pair.rest('POST', '/login', { email, password });
      expect(login.body.code).toBe('invalid_credentials');
    });
  },
  { only: ['sqlite', 'postgresql', 'mongodb'] },
);
