import type { Backend } from '../backend.ts';
import { createAttempts } from './attempts.ts';
import { createBlacklist } from './blacklist.ts';
import { createMfaCodes } from './mfa-codes.ts';
import { createOAuthIdentities } from './oauth-identities.ts';
import { createOAuthStates } from './oauth-states.ts';
import { createPending } from './pending.ts';
import { createRateLimitRows } from './rate-limits.ts';
import type { Run } from './table.ts';
import { createUsers } from './users.ts';

/** One repository a record type. */
export function createRepositories(backend: Backend, run: Run) {
  return {
    users: createUsers(backend, run),
    pending: createPending(backend, run),
    blacklist: createBlacklist(backend, run),
    attempts: createAttempts(backend, run),
    mfa_codes: createMfaCodes(backend, run),
    oauth_states: createOAuthStates(backend, run),
    oauth_identities: createOAuthIdentities(backend, run),
    rate_limits: createRateLimitRows(backend, run),
  };
}

export type Repositories = ReturnType<typeof createRepositories>;
