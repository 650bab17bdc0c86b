import { featureRepositories } from '../../feature-parts.ts';
import type { Backend } from '../backend.ts';
import { createAttempts } from './attempts.ts';
import { createAuthenticators } from './authenticators.ts';
import { createBlacklist } from './blacklist.ts';
import { createChallenges } from './challenges.ts';
import { createHourCounts } from './hour-counts.ts';
import { createMfaCodes } from './mfa-codes.ts';
import { createOAuthIdentities } from './oauth-identities.ts';
import { createOAuthStates } from './oauth-states.ts';
import { createOutboxRows } from './outbox.ts';
import { createPasswordFailures } from './password-failures.ts';
import { createPending } from './pending.ts';
import { createRateLimitRows } from './rate-limits.ts';
import { createRecoveryCodes } from './recovery-codes.ts';
import { createRows } from './rows.ts';
import { createSessionRecords } from './session-records.ts';
import type { Run } from './table.ts';
import { createUsers } from './users.ts';

/** Returns one repository for each record type, and `rows` for what is the same of all. */
export function createRepositories(
  backend: Backend,
  run: Run,
  { pendingLifetimeSeconds }: { pendingLifetimeSeconds: number },
) {
  return {
    users: createUsers(backend, run),
    pending: createPending(backend, run, pendingLifetimeSeconds),
    blacklist: createBlacklist(backend, run),
    attempts: createAttempts(backend, run),
    mfa_codes: createMfaCodes(backend, run),
    oauth_states: createOAuthStates(backend, run),
    oauth_identities: createOAuthIdentities(backend, run),
    authenticators: createAuthenticators(backend, run),
    recovery_codes: createRecoveryCodes(backend, run),
    challenges: createChallenges(backend, run),
    sessions: createSessionRecords(backend, run),
    password_failures: createPasswordFailures(backend, run),
    outbox: createOutboxRows(backend, run),
    rate_limits: createRateLimitRows(backend, run),
    hour_counts: createHourCounts(backend, run),
    rows: createRows(backend, run),
    ...opened(backend, run),
  };
}

type OfFeatures = {
  [Name in keyof typeof featureRepositories]: ReturnType<(typeof featureRepositories)[Name]>;
};

const creators: Record<string, (backend: Backend, run: Run) => object> = featureRepositories;
const opened = (backend: Backend, run: Run) =>
  Object.fromEntries(
    Object.entries(creators).map(([name, create]) => [name, create(backend, run)]),
  ) as OfFeatures;

export type Repositories = ReturnType<typeof createRepositories>;
