import { expectAnswer, expectThat } from '../expect.ts';
import { asVisitor, expectDead, type Phase, unverified } from '../walk.ts';

/** Makes an API key, has it refused wherever it must be, and removes it. */
export const apiKeys: Phase = {
  name: 'api-keys',
  absence: walk => (walk.features.apiKeys ? unverified(walk) : 'is off (enable_api_keys)'),
  async run(walk) {
    const { client } = walk;
    const body = { name: 'Probe', scopes: ['profile'], expires_in_days: 1 };
    const made = await asVisitor(walk, 'POST', '/api-keys', { body });
    expectAnswer(made, 201);
    const { key, api_key: created } = made.body ?? {};
    expectThat(
      typeof key === 'string' && /^[a-z][a-z0-9]{1,11}_key_[0-9A-Za-z]{49}$/.test(key),
      'POST /api-keys returned no API key',
    );
    const me = await client.call('GET', '/me', { token: key });
    expectAnswer(me, 200);
    // A key is no session, and a mistyped one is none.
    expectAnswer(await client.call('GET', '/api-keys', { token: key }), 401, 'unauthenticated');
    const last = key.endsWith('0') ? '1' : '0';
    await expectDead(walk, key.slice(0, -1) + last, 'its last letter was changed');
    const listed = await asVisitor(walk, 'GET', '/api-keys');
    expectAnswer(listed, 200);
    expectThat(!listed.text.includes(key.slice(0, -6)), 'GET /api-keys shows a key again');
    expectAnswer(await asVisitor(walk, 'DELETE', `/api-keys/${created?.id}`), 200);
    await expectDead(walk, key, 'the removal of the API key');
    return 'a key opens the profile alone, and is refused once it is removed';
  },
};
