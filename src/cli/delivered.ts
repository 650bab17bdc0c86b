import type { Assembled } from '../gatehouse.ts';
import { CommandError } from './errors.ts';

/** Waits until the email has been sent. @throws {CommandError} when it was not */
export async function delivered(gatehouse: Assembled, sent: string): Promise<string> {
  const { undelivered } = await gatehouse.deliver();
  if (undelivered > 0) {
    const next =
      gatehouse.config.mailStore === 'database'
        ? 'It waits in the database, and the service tries it again.'
        : 'Try again later.';
    throw new CommandError(`The email could not be delivered; the record above says why. ${next}`);
  }
  const { backend, logBodies } = gatehouse.config.email;
  if (backend !== 'console') return sent;
  const where = logBodies
    ? ': the email is printed above.'
    : '; email.log_bodies = true prints the link here.';
  return `Nothing was sent, because email.backend is "console"${where}`;
}
