import { expectAnswer, expectThat } from '../expect.ts';
import type { Phase } from '../walk.ts';

/** Checks which input is rejected, and how (CONTRACT §2.1). */
export const input: Phase = {
  name: 'input',
  absence: () => null,
  async run({ client }) {
    const json = 'application/json';
    expectAnswer(
      await client.call('POST', '/login', { raw: { type: json, text: '{"email":' } }),
      400,
      'bad_json',
    );
    const form = { type: 'text/plain', text: '{}' };
    expectAnswer(await client.call('POST', '/login', { raw: form }), 415, 'unsupported_media_type');

    const unfit = await client.call('POST', '/login', {
      body: { email: 'no address', password: { $ne: '' } },
    });
    expectAnswer(unfit, 422, 'invalid_input');
    const errors: { path?: unknown }[] = Array.isArray(unfit.body?.errors) ? unfit.body.errors : [];
    const paths = errors.map(({ path }) => path);
    expectThat(paths.includes('email') && paths.includes('password'), 'a 422 does not name the fields');

    const anonymous = await client.call('GET', '/me');
    expectAnswer(anonymous, 401, 'unauthenticated');
    const challenge = anonymous.headers['www-authenticate'] ?? '';
    expectThat(/^bearer\b/i.test(challenge), 'a 401 has no WWW-Authenticate: Bearer');

    const method = await client.call('PUT', '/login');
    expectAnswer(method, 405, 'method_not_allowed');
    expectThat(method.headers.allow !== undefined, 'a 405 has no Allow header');
    return 'malformed JSON, a wrong content type, invalid fields, a missing session and a wrong method are refused as they should be';
  },
};
