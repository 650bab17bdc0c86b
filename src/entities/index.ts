import { auditRecord } from './audit-record.ts';
import { authenticator } from './authenticator.ts';
import { blacklistEntry } from './blacklist-entry.ts';
import { challenge } from './challenge.ts';
import type { KeyColumn } from './columns.ts';
import { loginAttempt } from './login-attempt.ts';
import { mfaCode } from './mfa-code.ts';
import { notMeLink } from './not-me-link.ts';
import { oauthIdentity } from './oauth-identity.ts';
import { oauthState } from './oauth-state.ts';
import { outboxMessage } from './outbox-message.ts';
import { passwordFailures } from './password-failures.ts';
import { pendingRegistration } from './pending-registration.ts';
import { rateLimit } from './rate-limit.ts';
import { recoveryCodes } from './recovery-codes.ts';
import { sessionRecord } from './session-record.ts';
import { signInPlace } from './sign-in-place.ts';
import { user } from './user.ts';
import { webhookEndpoint } from './webhook-endpoint.ts';

/** The storage names of the records, each configurable (SPEC §2.5, CONTRACT §5). */
export interface EntityNames {
  user: string;
  pending: string;
  blacklist: string;
  loginAttempt: string;
  mfaCode: string;
  oauthIdentity: string;
  oauthState: string;
  rateLimit: string;
  authenticator: string;
  recoveryCodes: string;
  challenge: string;
  session: string;
  passwordFailures: string;
  outbox: string;
  audit: string;
  webhookEndpoint: string;
  notMeLink: string;
  signInPlace: string;
}

/**
 * Returns the entities of one instance. Each instance has its own, because table names are configuration and two instances
 * in one process share nothing.
 */
export function createEntities(names: EntityNames, backend: 'sql' | 'mongodb') {
  const key: KeyColumn = sqlName => (backend === 'mongodb' ? '_id' : sqlName);
  return {
    user: user(names.user, key),
    pending: pendingRegistration(names.pending, key),
    blacklist: blacklistEntry(names.blacklist, key),
    loginAttempt: loginAttempt(names.loginAttempt, key),
    mfaCode: mfaCode(names.mfaCode, key),
    oauthIdentity: oauthIdentity(names.oauthIdentity, key),
    oauthState: oauthState(names.oauthState, key),
    rateLimit: rateLimit(names.rateLimit, key),
    authenticator: authenticator(names.authenticator, key),
    recoveryCodes: recoveryCodes(names.recoveryCodes, key),
    challenge: challenge(names.challenge, key),
    session: sessionRecord(names.session, key),
    passwordFailures: passwordFailures(names.passwordFailures, key),
    outbox: outboxMessage(names.outbox, key),
    audit: auditRecord(names.audit, key),
    webhookEndpoint: webhookEndpoint(names.webhookEndpoint, key),
    notMeLink: notMeLink(names.notMeLink, key),
    signInPlace: signInPlace(names.signInPlace, key),
  };
}

export type Entities = ReturnType<typeof createEntities>;
