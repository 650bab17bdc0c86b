import { createSoftwarePasskey, totpCode } from './authenticators.ts';
import type { Answer, Client } from './client.ts';
import { expectAnswer, expectThat } from './expect.ts';
import { passwordOf } from './visitor.ts';
import { asVisitor, type Walk } from './walk.ts';

/** Keeps what the visitor gets with a factor: recovery codes, and a session that counts as made with the factor. */
function keep({ visitor }: Walk, answer: Answer): void {
  if (answer.status !== 200) return;
  visitor.factors++;
  const { recovery_codes: codes, session } = answer.body ?? {};
  if (Array.isArray(codes)) visitor.recoveryCodes = [...codes];
  if (typeof session?.access_token === 'string') visitor.token = session.access_token;
}

/** Begins to set up an authenticator app. @throws {CheckFailure} */
export async function startApp(walk: Walk): Promise<{ id: unknown; secret: string }> {
  const setup = await asVisitor(walk, 'POST', '/totp/start', { body: {} });
  expectAnswer(setup, 200);
  const { id, secret } = setup.body ?? {};
  expectThat(typeof secret === 'string', 'the set-up of an authenticator app shows no secret');
  walk.visitor.appSecret = secret;
  return { id, secret };
}

/** Confirms an authenticator app with a code, right or wrong. */
export async function confirmApp(walk: Walk, id: unknown, code: string): Promise<Answer> {
  const answer = await asVisitor(walk, 'POST', '/totp/confirm', { body: { id, code } });
  keep(walk, answer);
  return answer;
}

/** Adds a passkey. Returns it, the origin of its pages, and its id among the authenticators. @throws {CheckFailure} */
export async function addPasskey(walk: Walk) {
  const key = createSoftwarePasskey();
  const origin = await originOf(walk.client);
  const setup = await asVisitor(walk, 'POST', '/passkeys/start', { body: {} });
  expectAnswer(setup, 200);
  const { id, options } = setup.body ?? {};
  const credential = key.create(options, origin);
  const added = await asVisitor(walk, 'POST', '/passkeys/confirm', { body: { id, credential } });
  keep(walk, added);
  expectThat(
    added.status !== 400,
    `a passkey for ${options.rp.id} at ${origin} is refused: does base_url, or passkeys.origins, name this origin?`,
  );
  expectAnswer(added, 200);
  return { key, origin, id: added.body?.authenticator?.id };
}

/** Returns the origin of the pages: that of the deployment's own description, else that of the address it is reached at. */
async function originOf(client: Client): Promise<string> {
  const { body } = await client.call('GET', '/openapi.json');
  const url = body?.servers?.[0]?.url;
  return (typeof url === 'string' ? URL.parse(url)?.origin : null) ?? new URL(client.url).origin;
}

/** Begins to set up the visitor's phone, and reads the code that it gets. @throws {CheckFailure} */
export async function startPhone(walk: Walk): Promise<{ pendingToken: unknown; code: string }> {
  const { visitor, texts } = walk;
  const phone = visitor.phone!;
  texts!.watch(phone);
  const since = texts!.mark();
  const body = { phone_number: phone, current_password: passwordOf(visitor) };
  const started = await asVisitor(walk, 'POST', '/phone/start', { body });
  expectAnswer(started, 202);
  return { pendingToken: started.body?.pending_token, code: await texts!.secretTo(phone, since) };
}

/** Confirms the phone with a code, right or wrong. */
export async function confirmPhone(walk: Walk, pendingToken: unknown, code: string): Promise<Answer> {
  const body = { pending_token: pendingToken, code };
  const answer = await asVisitor(walk, 'POST', '/phone/confirm', { body });
  keep(walk, answer);
  return answer;
}

/** Sets up whichever factor works, because nothing else is open to an account that must have one. */
export async function enrol(walk: Walk): Promise<void> {
  const { features, visitor, texts } = walk;
  const addApp = async () => {
    const { id, secret } = await startApp(walk);
    await confirmApp(walk, id, totpCode(secret));
  };
  const addPhone = async () => {
    const { pendingToken, code } = await startPhone(walk);
    await confirmPhone(walk, pendingToken, code);
  };
  const ways: [isOn: boolean, add: () => Promise<unknown>][] = [
    [features.passkeys, () => addPasskey(walk)],
    [features.totp, addApp],
    [features.sms2fa && visitor.phone !== null && texts !== null, addPhone],
  ];
  for (const [isOn, add] of ways) if (isOn && visitor.factors === 0) await add().catch(() => {});
}

/**
 * Has a factor removed, and returns whether it was. The only one of an account that must have one stays.
 * @throws {CheckFailure}
 */
export async function removeFactor(walk: Walk, path: string, body?: object): Promise<boolean> {
  const { features, visitor } = walk;
  const answer = await asVisitor(walk, 'DELETE', path, { body });
  if (features.mfaRequired && visitor.factors === 1) {
    expectAnswer(answer, 409, 'last_factor');
    return false;
  }
  expectAnswer(answer, 200);
  visitor.factors--;
  return true;
}

/** Says in a report what became of a factor. */
export const fateOf = (isRemoved: boolean) =>
  isRemoved ? 'removed' : 'kept as the only factor (mfa_required)';
