import { CheckFailure, type Outcome } from '../check.ts';
import type { Answer, CallOptions, Client } from './client.ts';
import { expectAnswer, expectThat } from './expect.ts';
import type { Features } from './features.ts';
import type { Letters } from './letters.ts';
import { emailOf, passwordOf, type Visitor } from './visitor.ts';

/** What the phases share. */
export interface Walk {
  client: Client;
  features: Features;
  visitor: Visitor;
  /** Null without a log source. */
  letters: Letters | null;
  report(name: string, outcome: Outcome, detail: string): void;
}

/** One flow: what it is called in the report and after `--skip`. */
export interface Phase {
  name: string;
  /** Why this deployment, or this call, leaves it out; null when it is to be walked. */
  absence(walk: Walk): string | null;
  /** Answers what was found. @throws {CheckFailure} */
  run(walk: Walk): Promise<string>;
}

/** Asks with the visitor's session. */
export function asVisitor(
  walk: Walk,
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<Answer> {
  return walk.client.call(method, path, { token: walk.visitor.token, ...options });
}

/** Signs the visitor in, by password alone. @throws {CheckFailure} */
export async function logIn({ client, visitor }: Walk): Promise<Answer> {
  const body = { email: emailOf(visitor), password: passwordOf(visitor) };
  const answer = await client.call('POST', '/login', { body });
  expectAnswer(answer, 200);
  visitor.token = sessionOf(answer);
  return answer;
}

/** The session token of an answer. @throws {CheckFailure} when there is none */
export function sessionOf({ asked, body }: Answer): string {
  const { access_token: token, token_type: type, expires_in: seconds } = body ?? {};
  const isSession = typeof token === 'string' && type === 'bearer' && seconds > 0;
  expectThat(isSession, `${asked} answered no session (access_token, token_type, expires_in)`);
  return token;
}

/** @throws {CheckFailure} when the token still opens `GET /me` */
export async function expectDead({ client }: Walk, token: string | null, after: string): Promise<void> {
  const answer = await client.call('GET', '/me', { token });
  if (answer.status === 200) throw new CheckFailure(`the session still works after ${after}`);
  expectAnswer(answer, 401, 'unauthenticated');
}

/** @throws {CheckFailure} when two addresses, one with an account and one without, can be told apart by the answers */
export function expectSame(known: Answer, unknown: Answer): void {
  const same = known.status === unknown.status && known.text === unknown.text;
  expectThat(
    same,
    `${known.asked} answers differently for an address that has an account and one that has none`,
  );
}

/** Why a flow that needs mails is left out. */
export const withoutLetters = ({ letters }: Walk) => (letters ? null : 'needs --log-source');
