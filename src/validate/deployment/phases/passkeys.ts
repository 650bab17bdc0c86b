import { expectAnswer, expectThat } from '../expect.ts';
import { addPasskey, fateOf, removeFactor } from '../factors.ts';
import { logIn, type Phase, sessionOf, unverified } from '../walk.ts';

/** Adds a passkey, signs in with it, and removes it. */
export const passkeys: Phase = {
  name: 'passkeys',
  absence: walk => (walk.features.passkeys ? unverified(walk) : 'is off (enable_passkeys)'),
  async run(walk) {
    const { client, visitor } = walk;
    // Adding one takes a recent sign-in.
    await logIn(walk);
    const { key, origin, id } = await addPasskey(walk);

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

    const isRemoved = await removeFactor(walk, `/authenticators/${id}`);
    const what = `added, signs in, and ${fateOf(isRemoved)}; used answers and another origin are refused`;
    if (!isRemoved) return what;
    const late = await start();
    const refused = await signIn({ id: late.id, credential: key.get(late.options, origin) });
    expectAnswer(refused, 400, 'passkey_invalid');
    return `${what}, and so is the removed passkey`;
  },
};
