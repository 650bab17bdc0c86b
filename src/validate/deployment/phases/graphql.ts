import { errorOf, expectAnswer, expectThat } from '../expect.ts';
import { emailOf, newPassword } from '../visitor.ts';
import type { Phase, Walk } from '../walk.ts';

/** Calls the same operations through GraphQL. */
export const graphql: Phase = {
  name: 'graphql',
  absence: ({ features }) =>
    features.trustedDocuments
      ? 'executes only trusted documents (graphql_trusted_documents)'
      : features.graphql
        ? null
        : 'is off (enable_graphql)',
  async run(walk) {
    const { visitor } = walk;
    const me = await ask(walk, '{ me { email } }', {}, visitor.token);
    expectThat(me.body?.data?.me?.email === emailOf(visitor), 'me returns another account than GET /me');

    const anonymous = await ask(walk, '{ me { email } }');
    expectThat(errorOf(anonymous) === 'unauthenticated', 'me does not require a session');

    const login = 'mutation ($input: LoginInput!) { login(input: $input) { __typename } }';
    const wrong = await ask(walk, login, { input: { email: emailOf(visitor), password: newPassword() } });
    expectThat(
      errorOf(wrong) === 'invalid_credentials',
      'login does not refuse a wrong password as REST does',
    );
    return 'responds as REST does, with the same codes';
  },
};

async function ask({ client }: Walk, query: string, variables: object = {}, token: string | null = null) {
  const answer = await client.call('POST', '/graphql', { body: { query, variables }, token });
  expectAnswer(answer, 200);
  return answer;
}
