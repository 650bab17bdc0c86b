import { setTimeout as sleep } from 'node:timers/promises';
import { CheckFailure, type Outcome } from '../check.ts';
import type { Answer, CallOptions } from './client.ts';
import { described } from './expect.ts';
import { enrol } from './factors.ts';
import { emailOf } from './visitor.ts';
import { secondStep, type Walk } from './walk.ts';

/** How often a deletion is tried, and the wait before the next try, in milliseconds. */
const tries = 3;
const pauseMs = 500;

/**
 * Removes the visitor however far the walk came, with whatever works: its session, or one of its passwords with one of its
 * addresses. @throws {CheckFailure} that names the account that could not be removed
 */
export async function removeVisitor(walk: Walk): Promise<[outcome: Outcome, detail: string]> {
  const { visitor } = walk;
  const email = emailOf(visitor);
  if (visitor.state === 'pending' || visitor.state === 'unknown') await finishRegistration(walk);
  if (visitor.state === 'pending') {
    return ['warn', `the registration of ${email} was not confirmed, and expires by itself`];
  }
  let attempts = createAttempts(walk);
  for (let i = 0; i < tries; i++) {
    if (i > 0) await sleep(pauseMs);
    attempts = createAttempts(walk);
    for await (const session of sessions(walk, attempts)) {
      visitor.token = session;
      // Until then the account cannot be deleted.
      if (walk.features.mfaRequired && visitor.factors === 0) await enrol(walk);
      const { token } = visitor;
      for (const current_password of visitor.passwords.toReversed()) {
        const answer = await attempts.call('DELETE', '/account', { token, body: { current_password } });
        if (answer?.status !== 200) continue;
        visitor.state = 'deleted';
        return ['ok', `${email} was deleted`];
      }
    }
    // If every password is rejected, it was deleted and the response was lost, or it was never created.
    if (attempts.allRefused()) return ['warn', `nobody can sign in as ${email}: it no longer exists`];
  }
  throw new CheckFailure(
    `the user ${visitor.addresses.join(' or ')} still exists (${attempts.last()}): delete it`,
  );
}

/** Sends requests without failing, because there is another try, and records the results. */
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
      return answer ? described(answer) : 'no response';
    },
  };
}

type Attempts = ReturnType<typeof createAttempts>;

/** A registration cannot be deleted, but a user can: so the registration is completed, if its link can be read. */
async function finishRegistration(walk: Walk): Promise<void> {
  const { visitor, mails } = walk;
  const token = await mails?.secretTo(emailOf(visitor), 0).catch(() => null);
  for (let i = 0; token && i < tries; i++) {
    if (i > 0) await sleep(pauseMs);
    const answer = await createAttempts(walk).call('POST', '/verify', { body: { token } });
    if (answer?.status === 200) visitor.state = 'there';
    if (answer && answer.status < 500) return;
  }
}

/** Yields the present session, then fresh ones. */
async function* sessions(walk: Walk, attempts: Attempts): AsyncGenerator<string> {
  const { visitor, texts } = walk;
  if (visitor.token) yield visitor.token;
  for (const email of visitor.addresses.toReversed()) {
    for (const password of visitor.passwords.toReversed()) {
      const since = texts?.mark() ?? 0;
      let answer = await attempts.call('POST', '/login', { body: { email, password } });
      if (answer?.body?.mfa_pending_token) {
        const body = await secondStep(walk, answer, since).catch(() => null);
        if (body) answer = await attempts.call('POST', '/login/mfa-confirm', { body });
      }
      const token = answer?.body?.access_token;
      if (typeof token === 'string') yield token;
    }
  }
}
