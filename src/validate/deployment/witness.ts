import type { Check } from '../check.ts';
import type { Answer } from './client.ts';

/** How many requests one line names. */
const namedAtMost = 5;

/** Examines every response for the rules that apply to all of them, and reports at the end what it has seen. */
export function createWitness() {
  const offenders = {
    problems: new Set<string>(),
    stored: new Set<string>(),
    cookies: new Set<string>(),
    failures: new Set<string>(),
  };
  let errors = 0;

  function rule(name: string, offending: Set<string>, good: string, bad: string): Check {
    if (offending.size === 0) return { name, outcome: 'ok', detail: good };
    const named = [...offending].slice(0, namedAtMost).join(', ');
    return {
      name,
      outcome: 'fail',
      detail: `${bad}: ${named}${offending.size > namedAtMost ? ' and others' : ''}`,
    };
  }

  return {
    see(answer: Answer): void {
      const { asked, status, headers, body } = answer;
      // The host application decides the response to a path that does not exist.
      if (status === 404) return;
      // These set and remove the cookie, which the phase of browser sessions checks.
      if (headers['set-cookie'] && !/ \/(browser-session|logout)$/.test(asked)) offenders.cookies.add(asked);
      if (status >= 500) offenders.failures.add(`${asked} (${status})`);
      // RFC 6749 §5.2 has errors of its own.
      const isProtocol = /\/oauth2\/[a-z]+$/.test(asked) && (status === 400 || status === 401);
      if (status >= 400 && !isProtocol && !asked.endsWith('/graphql')) {
        errors++;
        if (!isProblem(answer)) offenders.problems.add(`${asked} (${status})`);
      }
      const isPrivate =
        body !== null && typeof body === 'object' && ('access_token' in body || 'email' in body);
      if (isPrivate && !/\bno-store\b/.test(headers['cache-control'] ?? '')) offenders.stored.add(asked);
    },

    checks: (): Check[] => [
      rule(
        'errors',
        offenders.problems,
        `all ${errors} were problem documents`,
        'not problem documents (RFC 9457)',
      ),
      rule(
        'no-store',
        offenders.stored,
        'no response with a token or an account may be stored by caches',
        'may be stored by caches',
      ),
      rule('cookies', offenders.cookies, 'none was set', 'cookies were set'),
      rule('failures', offenders.failures, 'no response was a 5xx', 'were answered with a 5xx'),
    ],
  };
}

/** Returns whether a response is a problem document (RFC 9457) with the stable `code` of the catalogue. */
function isProblem({ status, headers, body }: Answer): boolean {
  if (!/^application\/problem\+json\b/.test(headers['content-type'] ?? '')) return false;
  if (body === null || typeof body !== 'object' || body.status !== status) return false;
  return ['type', 'title', 'detail', 'code'].every(key => typeof body[key] === 'string' && body[key] !== '');
}
