import { expectAnswer, expectThat } from '../expect.ts';
import { newPassword } from '../visitor.ts';
import { asVisitor, type Phase } from '../walk.ts';

/** Begins an external sign-in, as far as the provider's door. */
export const oauth: Phase = {
  name: 'oauth',
  absence: ({ features }) => (features.oauth ? null : 'is off (enable_oauth)'),
  async run(walk) {
    const { client } = walk;
    const list = await asVisitor(walk, 'GET', '/oauth/providers');
    expectAnswer(list, 200);
    const [provider] = list.body?.available ?? [];
    expectThat(typeof provider === 'string', 'GET /oauth/providers names none');

    const start = `/oauth/${encodeURIComponent(provider)}/start`;
    const answer = await client.call('GET', start);
    expectAnswer(answer, 302);
    const target = URL.parse(answer.headers.location ?? '');
    expectThat(target !== null, 'the start of a flow leads nowhere');
    for (const name of ['client_id', 'redirect_uri', 'state', 'nonce', 'code_challenge']) {
      expectThat(target.searchParams.has(name), `the start of a flow sends no ${name} to the provider`);
    }
    const method = target.searchParams.get('code_challenge_method');
    expectThat(method === 'S256', 'the start of a flow does not use PKCE with S256');
    const elsewhere = encodeURIComponent('//elsewhere.invalid/');
    expectAnswer(await client.call('GET', `${start}?redirect_to=${elsewhere}`), 400, 'bad_redirect');
    const unknown = await client.call('POST', '/oauth/exchange', { body: { id: newPassword() } });
    expectAnswer(unknown, 404, 'not_found');
    return `${provider}: leads to ${target.host} with PKCE; a redirect to another site is refused`;
  },
};
