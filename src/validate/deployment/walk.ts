import { CheckFailure, type Outcome } from '../check.ts';
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

/** Signs the visitor in, with the password alone. @throws {CheckFailure} */
export async function logIn({ client, visitor }: Walk): Promise<Answer> {
  const body = { email: emailOf(visitor), password: passwordOf(visitor) };
  const answer = await client.call('POST', '/login', { body });
  expectAnswer(answer, 200);
  visitor.token = sessionOf(answer);
  return answer;
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

/** Returns why a flow that needs emails is left out. */
export const withoutMails = ({ mails }: Walk) => (mails ? null : 'needs --log-source or --mailbox');
