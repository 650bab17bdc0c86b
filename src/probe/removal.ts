import { setTimeout as sleep } from 'node:timers/promises';
import { CheckFailure, type Outcome } from '../check.ts';
import { described } from './expect.ts';
import { emailOf } from './visitor.ts';
import { sessionOf, type Walk } from './walk.ts';

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
  let last = 'nobody could sign in as it';
  for (let i = 0; i < tries; i++) {
    if (i > 0) await sleep(pauseMs);
    for await (const token of sessions(walk)) {
      for (const current_password of visitor.passwords.toReversed()) {
        const answer = await attempt(() =>
          walk.client.call('DELETE', '/account', { token, body: { current_password } }),
        );
        if (answer?.status === 200) {
          visitor.state = 'deleted';
          return ['ok', `${email} was deleted`];
        }
        if (answer) last = described(answer);
      }
    }
  }
  if (visitor.state === 'unknown')
    return ['warn', `whether ${email} was registered is not known; nobody can sign in as it`];
  throw new CheckFailure(`the user ${visitor.addresses.join(' or ')} is still there (${last}): delete it`);
}

/** A registration can't be deleted, a user can: so the one is made the other, where its link can be read. */
async function finishRegistration({ client, visitor, letters }: Walk): Promise<void> {
  const token = await letters?.secretTo(emailOf(visitor), 0).catch(() => null);
  for (let i = 0; token && i < tries; i++) {
    if (i > 0) await sleep(pauseMs);
    const answer = await attempt(() => client.call('POST', '/verify', { body: { token } }));
    if (answer?.status === 200) visitor.state = 'there';
    if (answer && answer.status < 500) return;
  }
}

/** The session that is there, then fresh ones. */
async function* sessions({ client, visitor, letters }: Walk): AsyncGenerator<string> {
  if (visitor.token) yield visitor.token;
  for (const email of visitor.addresses.toReversed()) {
    for (const password of visitor.passwords.toReversed()) {
      const since = letters?.mark() ?? 0;
      let answer = await attempt(() => client.call('POST', '/login', { body: { email, password } }));
      const pending = answer?.body?.mfa_pending_token;
      if (pending && letters && visitor.phone) {
        const code = await letters.secretTo(visitor.phone, since).catch(() => '');
        const body = { mfa_pending_token: pending, code };
        answer = await attempt(() => client.call('POST', '/login/mfa-confirm', { body }));
      }
      if (answer?.status === 200 && answer.body?.access_token) yield sessionOf(answer);
    }
  }
}

/** Null in place of an answer that did not come: there is another try. */
async function attempt<T>(work: () => Promise<T>): Promise<T | null> {
  return work().catch(() => null);
}
