import { CheckFailure, type Outcome } from '../check.ts';
import { codeLastsMs, totpCode } from './authenticators.ts';
import type { Answer, CallOptions, Client } from './client.ts';
import { expectAnswer, expectThat } from './expect.ts';
import type { Features } from './features.ts';
import type { Letters } from './letters.ts';
import { emailOf, passwordOf, type Visitor } from './visitor.ts';

/** The state that the phases share. */
export interface Walk {
  client: Client;
  features: Features;
  visitor: Visitor;
  /** Its emails; null if they are not read. */
  mails: Letters | null;
  /** Its text messages; null if they are not read. */
  texts: Letters | null;
  /** The response to a sign-in with the visitor's address before it had an account; null before that was tried. */
  refusal: Answer | null;
  /** Waits so many milliseconds. @throws {AbortError} once the probe is stopped */
  wait(ms: number): Promise<void>;
  report(name: string, outcome: Outcome, detail: string): void;
}

/** One flow, with its name in the report and after `--skip`. */
export interface Phase {
  name: string;
  /** Returns why this deployment, or these options, leave it out; null if it must be run. */
  absence(walk: Walk): string | null;
  /** Returns what was found. @throws {CheckFailure} */
  run(walk: Walk): Promise<string>;
}

/** Sends a request with the visitor's session. */
export function asVisitor(
  walk: Walk,
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<Answer> {
  return walk.client.call(method, path, { token: walk.visitor.token, ...options });
}

/** Signs the visitor in, with the second step if it has a factor. @throws {CheckFailure} */
export async function logIn(walk: Walk): Promise<void> {
  const { client, visitor, texts } = walk;
  const since = texts?.mark() ?? 0;
  let answer = await client.call('POST', '/login', {
    body: { email: emailOf(visitor), password: passwordOf(visitor) },
  });
  expectAnswer(answer, 200);
  if (visitor.factors > 0 && answer.body?.mfa_pending_token) {
    const body = await secondStep(walk, answer, since);
    answer = await client.call('POST', '/login/mfa-confirm', { body });
    expectAnswer(answer, 200);
  }
  visitor.token = sessionOf(answer);
}

/**
 * Returns what completes a sign-in that asks for a second step.
 * @param since the position of the text messages before the sign-in
 * @throws {CheckFailure} when the probe has nothing that completes it
 */
export async function secondStep(walk: Walk, { body }: Answer, since: number): Promise<object> {
  const { visitor, texts } = walk;
  const { mfa_pending_token, methods = [] } = body;
  const recoveryCode = methods.includes('recovery_code') && visitor.recoveryCodes.pop();
  if (recoveryCode) return { mfa_pending_token, method: 'recovery_code', code: recoveryCode };
  if (methods.includes('totp') && visitor.appSecret) {
    await nextAppCode(walk);
    return { mfa_pending_token, method: 'totp', code: totpCode(visitor.appSecret) };
  }
  expectThat(texts !== null && visitor.phone !== null, 'the probe has no factor for the second step');
  return { mfa_pending_token, code: await texts.secretTo(visitor.phone, since) };
}

/** Waits until an authenticator app shows another code, and a second more because clocks differ. */
export async function nextAppCode({ report, wait }: Walk): Promise<void> {
  const ms = codeLastsMs() + 1000;
  report('wait', 'ok', `${Math.ceil(ms / 1000)} seconds, until an authenticator app shows another code`);
  await wait(ms);
}

/** Returns the session token of a response. @throws {CheckFailure} when there is none */
export function sessionOf({ asked, body }: Answer): string {
  const { access_token: token, token_type: type, expires_in: seconds } = body ?? {};
  const isSession = typeof token === 'string' && type === 'bearer' && seconds > 0;
  expectThat(isSession, `${asked} returned no session (access_token, token_type, expires_in)`);
  return token;
}

/** @throws {CheckFailure} when the token is still valid for `GET /me` */
export async function expectDead({ client }: Walk, token: string | null, after: string): Promise<void> {
  const answer = await client.call('GET', '/me', { token });
  if (answer.status === 200) throw new CheckFailure(`the session still works after ${after}`);
  expectAnswer(answer, 401, 'unauthenticated');
}

/**
 * @throws {CheckFailure} when the responses distinguish an address with an account from one without (account enumeration)
 */
export function expectSame(known: Answer, unknown: Answer): void {
  const same = known.status === unknown.status && known.text === unknown.text;
  expectThat(
    same,
    `${known.asked} responds differently for an address that has an account and one that has none`,
  );
}

/** Returns why a flow that needs a verified address is left out. */
export const unverified = ({ visitor }: Walk) =>
  visitor.isUnverified
    ? 'needs a verified address, and registration verifies none there (require_verification)'
    : null;

/** Returns why a flow that needs emails is left out. */
export const withoutMails = ({ mails }: Walk) => (mails ? null : 'needs --log-source or --mailbox');
