import { createSoftwarePasskey } from '../authenticators.ts';
import type { Client } from '../client.ts';
import { expectAnswer, expectThat } from '../expect.ts';
import { asVisitor, logIn, type Phase, sessionOf } from '../walk.ts';

/** Adds a passkey, signs in with it, and removes it. */
export const passkeys: Phase = {
  name: 'passkeys',
  absence: ({ features }) => (features.passkeys ? null : 'is off (enable_passkeys)'),
  async run(walk) {
    const { client, visitor } = walk;
    // Adding one takes a recent sign-in.
    await logIn(walk);
    const key = createSoftwarePasskey();
    const origin = await originOf(client);
    const setup = await asVisitor(walk, 'POST', '/passkeys/start', { body: {} });
    expectAnswer(setup, 200);
    const { id, options } = setup.body ?? {};
    const credential = key.create(options, origin);
    const added = await asVisitor(walk, 'POST', '/passkeys/confirm', { body: { id, credential } });
    expectThat(
      added.status !== 400,
      `a passkey for ${options.rp.id} at ${origin} is refused: does base_url, or passkeys.origins, name this origin?`,
    );
    expectAnswer(added, 200);
    const { authenticator } = added.body ?? {};

    const start = async () => {
      const started = await client.call('POST', '/login/passkey/start', { body: {} });
      expectAnswer(started, 200);
      return started.body;
    };
    const begun = await start();
    const answer = { id: begun.id, credential: key.get(begun.options, origin) };
    const signIn = (body: object) => client.call('POST', '/login/passkey', { body });
    const foreign = await start();
    expectAnswer(
      await signIn({ id: foreign.id, credential: key.get(foreign.options, 'https://elsewhere.example') }),
      400,
      'passkey_invalid',
    );
    const session = await signIn(answer);
    expectAnswer(session, 200);
    visitor.token = sessionOf(session);
    expectThat((await signIn(answer)).status === 404, 'an answer of a passkey works twice');

    const remove = await asVisitor(walk, 'DELETE', `/authenticators/${authenticator?.id}`);
    expectAnswer(remove, 200);
    const late = await start();
    const refused = await signIn({ id: late.id, credential: key.get(late.options, origin) });
    expectAnswer(refused, 400, 'passkey_invalid');
    return 'added, signs in, and removed; used answers, another origin and a removed passkey are refused';
  },
};

/** Returns the origin of the pages: that of the deployment's own description, else that of the address it is reached at. */
async function originOf(client: Client): Promise<string> {
  const { body } = await client.call('GET', '/openapi.json');
  const url = body?.servers?.[0]?.url;
  return (typeof url === 'string' ? URL.parse(url)?.origin : null) ?? new URL(client.url).origin;
}
