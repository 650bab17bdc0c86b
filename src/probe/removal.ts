import { setTimeout as sleep } from 'node:timers/promises';
import { CheckFailure, type Outcome } from '../check.ts';
import type { Answer, CallOptions } from './client.ts';
import { described } from './expect.ts';
import { emailOf } from './visitor.ts';
import type { Walk } from './walk.ts';

/** How often a deletion is tried, and how long is waited before the next try, in milliseconds. */
const tries = 3;
const pauseMs = 500;

/**
 * Takes the visitor away however far the walk came, by whatever is left: its session, or one of its passwords at one
 * of its addresses. @throws {CheckFailure} naming the account that stays
 */
export async function removeVisitor(walk: Walk): Promise<[outcome: Outcome, detail: string]> {
  const { visitor } = walk;
  const email = emailOf(visitor);
  if (visitor.state === 'pending' || visitor.state === 'unknown') await finishRegistration(walk);
  if (visitor.state === 'pending') {
    return ['warn', `the registration of ${email} was not confirmed, and ends by itself`];
  }
  let attempts = createAttempts(walk);
  for (let i = 0; i < tries; i++) {
    if (i > 0) await sleep(pauseMs);
    attempts = createAttempts(walk);
    for await (const token of sessions(walk, attempts)) {
      for (const current_password of visitor.passwords.toReversed()) {
        const answer = await attempts.call('DELETE', '/account', { token, body: { current_password } });
        if (answer?.status !== 200) continue;
        visitor.state = 'deleted';
        return ['ok', `${email} was deleted`];
      }
    }
    // Where every password is refused, it was deleted and the answer was lost, or it never came to be.
    if (attempts.allRefused()) return ['warn', `nobody can sign in as ${email}: it is not there any more`];
  }
  throw new CheckFailure(
    `the user ${visitor.addresses.join(' or ')} is still there (${attempts.last()}): delete it`,
  );
}

/** Asks without failing, because there is another try, and remembers what came of it. */
function createAttempts({ client }: Walk) {
  const answers: (Answer | null)[] = [];
  return {
    async call(method: string, path: string, options: CallOptions): Promise<Answer | null> {
      const answer = await client.call(method, path, options).catch(() => null);
      answers.push(answer);
      return answer;
    },
    allRefused: () => answers.every(answer => answer?.status === 401),
    last(): string {
      const answer = answers.at(-1);
      return answer ? described(answer) : 'no answer';
    },
  };
}

type Attempts = ReturnType<typeof createAttempts>;

/** A registration can't be deleted, a user can: so the one is made the other, where its link can be read. */
async function finishRegistration(walk: Walk): Promise<void> {
  const { visitor, letters } = walk;
  const token = await letters?.secretTo(emailOf(visitor), 0).catch(() => null);
  for (let i = 0; token && i < tries; i++) {
    if (i > 0) await sleep(pauseMs);
    const answer = await createAttempts(walk).call('POST', '/verify', { body: { token } });
    if (answer?.status === 200) visitor.state = 'there';
    if (answer && answer.status < 500) return;
  }
}

/** The session that is there, then fresh ones. */
async function* sessions({ visitor, letters }: Walk, attempts: Attempts): AsyncGenerator<string> {
  if (visitor.token) yield visitor.token;
  for (const email of visitor.addresses.toReversed()) {
    for (const password of visitor.passwords.toReversed()) {
      const since = letters?.mark() ?? 0;
      let answer = await attempts.call('POST', '/login', { body: { email, password } });
      const pending = answer?.body?.mfa_pending_token;
      if (pending && letters && visitor.phone) {
        const code = await letters.secretTo(visitor.phone, since).catch(() => '');
        const body = { mfa_pending_token: pending, code };
        answer = await attempts.call('POST', '/login/mfa-confirm', { body });
      }
      const token = answer?.body?.access_token;
      if (typeof token === 'string') yield token;
    }
  }
}
