import { createHash } from 'node:crypto';
import type { Client } from '../client.ts';
import { expectAnswer, expectThat } from '../expect.ts';
import { newPassword } from '../visitor.ts';
import { asVisitor, type Phase } from '../walk.ts';

/** Begins an external sign-in with each provider, up to the redirect there. */
export const oauth: Phase = {
  name: 'oauth',
  absence: ({ features }) => (features.oauth ? null : 'is off (enable_oauth)'),
  async run(walk) {
    const { client } = walk;
    const list = await asVisitor(walk, 'GET', '/oauth/providers');
    expectAnswer(list, 200);
    const providers: unknown[] = list.body?.available ?? [];
    expectThat(providers.length > 0, 'GET /oauth/providers lists none');
    const hosts: string[] = [];
    for (const provider of providers) hosts.push(`${provider}: ${await begin(client, String(provider))}`);
    const unknown = await client.call('POST', '/oauth/exchange', { body: { id: newPassword() } });
    expectAnswer(unknown, 404, 'not_found');
    return `${hosts.join(', ')}, each with PKCE; a redirect to another site is refused`;
  },
};

/** Begins a sign-in and ends it as a refusal by the provider does. Returns where it leads. */
async function begin(client: Client, provider: string): Promise<string> {
  const challenge = createHash('sha256').update(newPassword()).digest('base64url');
  const start = `/oauth/${encodeURIComponent(provider)}/start?code_challenge=${challenge}`;
  const answer = await client.call('GET', start);
  expectAnswer(answer, 302);
  const target = URL.parse(answer.headers.location ?? '');
  expectThat(target !== null, `the start of a flow with ${provider} does not redirect`);
  const { searchParams } = target;
  // Only an ID token repeats a nonce.
  const isOpenId = (searchParams.get('scope') ?? '').split(' ').includes('openid');
  for (const name of [
    'client_id',
    'redirect_uri',
    'state',
    'code_challenge',
    ...(isOpenId ? ['nonce'] : []),
  ]) {
    expectThat(searchParams.has(name), `the start of a flow sends no ${name} to ${provider}`);
  }
  const method = searchParams.get('code_challenge_method');
  expectThat(method === 'S256', `the start of a flow with ${provider} does not use PKCE with S256`);
  await expectUsedUp(client, provider, searchParams.get('state')!);
  const elsewhere = encodeURIComponent('//elsewhere.invalid/');
  expectAnswer(await client.call('GET', `${start}&redirect_to=${elsewhere}`), 400, 'bad_redirect');
  return `leads to ${target.host}`;
}

/** A refusal by the provider uses the flow up, so that nothing of it stays stored. */
async function expectUsedUp(client: Client, provider: string, state: string): Promise<void> {
  const query = new URLSearchParams({ state, error: 'access_denied' });
  const callback = `/oauth/${encodeURIComponent(provider)}/callback?${query}`;
  const errors: (string | null)[] = [];
  for (let calls = 0; calls < 2; calls++) {
    const answer = await client.call('GET', callback);
    expectAnswer(answer, 302);
    errors.push(URL.parse(answer.headers.location ?? '')?.searchParams.get('error') ?? null);
  }
  const [first, second] = errors;
  expectThat(first !== null && first !== 'bad_state', 'the callback does not say that the provider refused');
  expectThat(second === 'bad_state', 'a flow that the provider refused can be finished again');
}
