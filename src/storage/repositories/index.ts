import type { Entities } from '../../entities/index.ts';
import type { Backend } from '../backend.ts';
import { createAttempts } from './attempts.ts';
import { createBlacklist } from './blacklist.ts';
import { createMfaCodes } from './mfa-codes.ts';
import { createOAuthIdentities } from './oauth-identities.ts';
import { createOAuthStates } from './oauth-states.ts';
import { createPending } from './pending.ts';
import type { Run } from './table.ts';
import { createUsers } from './users.ts';

/** One repository a record type. */
export function createRepositories(backend: Backend, entities: Entities, run: Run) {
  return {
    users: createUsers(backend, entities, run),
    pending: createPending(backend, entities, run),
    blacklist: createBlacklist(backend, entities, run),
    attempts: createAttempts(backend, entities, run),
    mfa_codes: createMfaCodes(backend, entities, run),
    oauth_states: createOAuthStates(backend, entities, run),
    oauth_identities: createOAuthIdentities(backend, entities, run),
  };
}

export type Repositories = ReturnType<typeof createRepositories>;
