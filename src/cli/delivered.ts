import type { Assembled } from '../gatehouse.ts';
import { CommandError } from './errors.ts';

/** A command that has acted before its email is sent. */
interface Act {
  /** The act, as a sentence. */
  done: string;
  /** The command that sends the email again; absent where none does. */
  again?: string;
}

/**
 * Prints what was done, and waits until the email has been sent. Returns what to print then; nothing for an act that says
 * enough itself.
 * @throws {CommandError} when it was not
 */
export async function delivered(gatehouse: Assembled, sent: string, act?: Act): Promise<string> {
  if (act) console.log(act.done);
  const again = act ? act.again && `Later: ${act.again}.` : 'Try again later.';
  const failure = await findFailure(gatehouse, again);
  if (failure !== null) throw new CommandError(failure);
  const { backend, logBodies } = gatehouse.config.email;
  if (backend !== 'console') return sent;
  const where = logBodies
    ? ': the email is printed above.'
    : '; email.log_bodies = true prints the link here.';
  return `Nothing was sent, because email.backend is "console"${where}`;
}

/** Waits until the email has been sent. Returns null, or why it was not and what comes next. */
export async function findFailure(gatehouse: Assembled, again = ''): Promise<string | null> {
  const { undelivered, givenUp = [] } = await gatehouse.deliver();
  if (undelivered === 0) return null;
  const next = gatehouse.config.mailStore === 'database' ? nextOf(givenUp) : again;
  return `The email could not be delivered; the record above says why. ${next}`.trimEnd();
}

function nextOf(givenUp: readonly string[]): string {
  if (givenUp.length === 0) return 'It waits in the database, and the service tries it again.';
  const those = givenUp.length === 1 ? 'It was' : 'They were';
  const retries = givenUp.map(id => `svc outbox retry ${id}`).join(', ');
  return `${those} given up: mend the cause, then ${retries}.`;
}
