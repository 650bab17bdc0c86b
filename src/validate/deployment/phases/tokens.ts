import { CheckFailure } from '../../check.ts';
import { expectAnswer, expectThat } from '../expect.ts';
import { asVisitor, type Phase } from '../walk.ts';

/** Reads the documents that verifiers read, and has tokens refused that must be. */
export const tokens: Phase = {
  name: 'tokens',
  absence: ({ features }) => (features.tokens ? null : 'is off (enable_tokens)'),
  async run(walk) {
    const { client } = walk;
    const refused = await asVisitor(walk, 'POST', '/tokens', {
      body: { resource: 'urn:gatehouse:no-such-resource' },
    });
    expectAnswer(refused, 400, 'invalid_target');
    const form = (text: string) => ({ raw: { type: 'application/x-www-form-urlencoded', text } });
    const asked = await client.call('POST', '/oauth2/introspect', form('token=x'));
    expectAnswer(asked, 401);
    expectThat(
      asked.body?.error === 'invalid_client',
      'POST /oauth2/introspect does not refuse a stranger with invalid_client',
    );
    expectAnswer(await client.call('POST', '/oauth2/revoke', form('token=x&client_id=session')), 200);

    const path = '/.well-known/openid-configuration';
    const found = await client.call('GET', path, { isAtRoot: true });
    // An issuer with a path has its documents elsewhere, and nothing here tells where.
    if (found.status === 404) return 'strangers learn nothing; the documents are not at the root of the host';
    expectAnswer(found, 200);
    const { origin } = new URL(client.url);
    const { issuer, jwks_uri: keys } = found.body ?? {};
    expectThat(
      typeof issuer === 'string' && new URL(issuer).origin === origin,
      `${path} names the issuer ${issuer}, which is not at ${origin}: is base_url the address that people see?`,
    );
    if (keys !== `${issuer}/.well-known/jwks.json`)
      throw new CheckFailure(`${path} names no keys of its issuer`);
    const set = await client.call('GET', new URL(keys).pathname, { isAtRoot: true });
    expectAnswer(set, 200);
    const isPublic = (key: object) => !['d', 'p', 'q', 'k'].some(name => name in key);
    expectThat(
      Array.isArray(set.body?.keys) && set.body.keys.length > 0 && set.body.keys.every(isPublic),
      'the set of keys is empty, or tells a private key',
    );
    return `${issuer} publishes ${set.body.keys.length} keys, and strangers learn nothing`;
  },
};
