import { boundedFetch } from '../../bounded-fetch.ts';
import { sha1Of } from './filter.ts';

/** How long a range service may take, in milliseconds. */
const timeoutMs = 2000;

/** How many digits of the digest are sent: several hundred passwords have the same ones (k-anonymity). */
const prefixLength = 5;

/**
 * Asks a range service whether a password is known from breaches: `GET <url>/<first five digits of its SHA-1>` answers the
 * rest of each known digest, with a count. Neither the password nor its digest is sent.
 * @throws {Error} when the service does not respond in time, or not with a list
 */
export async function isInRange(url: string, password: string): Promise<boolean> {
  const digest = sha1Of(password);
  const rest = digest.slice(prefixLength);
  const response = await boundedFetch(
    `${url.replace(/\/$/, '')}/${digest.slice(0, prefixLength)}`,
    // Padding hides from the network how many digests there are, and so which prefix was asked for.
    { method: 'GET', headers: { 'Add-Padding': 'true', Accept: 'text/plain' } },
    timeoutMs,
  );
  if (response.status !== 200) throw new Error(`The range service responded with ${response.status}.`);
  const lines = (await response.text()).split(/\r?\n/).filter(Boolean);
  if (lines.some(line => !/^[0-9A-F]{35}:\d+$/i.test(line))) {
    throw new Error('The range service responded with something other than a list of digests.');
  }
  // The lines of the padding have the count 0.
  return lines.some(line => line.slice(0, rest.length).toUpperCase() === rest && !/:0+$/.test(line));
}
