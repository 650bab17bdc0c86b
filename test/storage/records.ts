import { v7 as uuidv7 } from 'uuid';
import type { StoredAuditRecord } from '../../src/features/audit-store/table.ts';
import type { Repositories } from '../../src/storage/repositories/index.ts';
import type { Authenticator } from '../../src/tables/authenticator.ts';
import type { Challenge } from '../../src/tables/challenge.ts';
import { graceSeconds, type Table } from '../../src/tables/define.ts';
import { type TableName, tables } from '../../src/tables/index.ts';
import type { MfaCode } from '../../src/tables/mfa-code.ts';
import type { OAuthIdentity } from '../../src/tables/oauth-identity.ts';
import type { OAuthState } from '../../src/tables/oauth-state.ts';
import type { PendingRegistration } from '../../src/tables/pending-registration.ts';
import type { RecoveryCodes } from '../../src/tables/recovery-codes.ts';
import type { SessionRecord } from '../../src/tables/session-record.ts';
import type { User } from '../../src/tables/user.ts';

export const at = (ms: number) => new Date(1_763_726_400_000 + ms);

/** Text that means something to one database or another. */
export const hostile = `x'); drop table users;-- $ne {"$gt":""} \\ ? $1 \${a} %_ "q" \`b\` Zoë 😀`;

/** Makes addresses and hashes different from each other. */
export const counter = { value: 0 };

export function user(fields: Partial<User> = {}): User {
  counter.value++;
  return {
    id: `user-${counter.value}`,
    email: `user-${counter.value}@example.org`,
    fullName: null,
    hashedPassword: null,
    passwordForm: null,
    passwordSetAt: null,
    phoneNumber: null,
    phoneConfirmedAt: null,
    isActive: true,
    isVerified: false,
    isSuperuser: false,
    isMfaEnabled: false,
    createdAt: at(1),
    signedUpAt: null,
    updatedAt: at(2),
    lastLogin: null,
    tokensInvalidatedAfter: null,
    lastIssuedAt: null,
    reportedAt: null,
    distrustedSince: null,
    resetsHeldAt: null,
    locale: null,
    fields: null,
    roles: null,
    ...fields,
  };
}

export const pendingRow = (fields: Partial<PendingRegistration> = {}): PendingRegistration => ({
  email: `pending-${++counter.value}@example.org`,
  tokenHash: `hash-${counter.value}`,
  userId: null,
  hashedPassword: 'h',
  passwordForm: null,
  fullName: null,
  createdAt: at(0),
  expiresAt: at(1000),
  isContested: false,
  claimedAt: null,
  locale: null,
  fields: null,
  fieldsAt: null,
  ...fields,
});

export const code = (fields: Partial<MfaCode> = {}): Omit<MfaCode, 'id'> => ({
  userId: `user-${++counter.value}`,
  kind: 'login',
  phoneNumber: '+4915112345678',
  codeHash: `hash-${counter.value}`,
  boundTo: null,
  attempts: 0,
  createdAt: at(0),
  expiresAt: at(1000),
  ...fields,
});

export const state = (fields: Partial<OAuthState> = {}): OAuthState => ({
  id: `state-${++counter.value}`,
  provider: 'google',
  mode: 'signin',
  codeVerifier: 'v',
  nonce: 'n',
  redirectTo: '/account/me',
  codeChallenge: null,
  maxAge: null,
  linkingUserId: null,
  linkingSession: null,
  resultToken: null,
  wasNewAccount: false,
  createdAt: at(0),
  expiresAt: at(1000),
  ...fields,
});

export const issuer = 'https://issuer.example';

export const identity = (fields: Partial<OAuthIdentity> = {}): OAuthIdentity => ({
  id: `identity-${++counter.value}`,
  provider: 'google',
  issuer,
  subjectId: `subject-${counter.value}`,
  userId: `user-${counter.value}`,
  email: null,
  linkedAt: at(0),
  lastUsedAt: null,
  unlinking: null,
  acr: null,
  amr: null,
  ...fields,
});

/** An authenticator app, which has no slot yet. */
export const authenticator = (fields: Partial<Authenticator> = {}): Omit<Authenticator, 'slot'> => {
  const id = `authenticator-${String(++counter.value).padStart(6, '0')}`;
  return {
    id,
    userId: `user-${counter.value}`,
    kind: 'totp',
    name: 'App',
    createdAt: at(0),
    lastUsedAt: null,
    secret: 'sealed',
    lastStep: 0,
    credentialId: id,
    publicKey: null,
    userHandle: null,
    signCount: 0,
    transports: null,
    isSynced: false,
    ...fields,
  };
};

export const passkey = (fields: Partial<Authenticator> = {}): Omit<Authenticator, 'slot'> =>
  authenticator({
    ...{ kind: 'passkey', secret: null, publicKey: 'key', userHandle: 'handle', transports: 'usb,nfc' },
    credentialId: `credential-${++counter.value}`,
    ...fields,
  });

export const recoveryCodes = (fields: Partial<RecoveryCodes> = {}): RecoveryCodes => ({
  userId: `user-${++counter.value}`,
  hashes: '["a","b"]',
  version: `version-${counter.value}`,
  createdAt: at(0),
  ...fields,
});

export const challenge = (fields: Partial<Challenge> = {}): Challenge => ({
  id: `challenge-${++counter.value}`,
  purpose: 'passkey_login',
  userId: null,
  boundTo: null,
  value: 'value',
  userHandle: null,
  attempts: 0,
  createdAt: at(0),
  expiresAt: at(1000),
  ...fields,
});

export const sessionRecord = (fields: Partial<SessionRecord> = {}): SessionRecord => ({
  id: `jti-${++counter.value}`,
  userId: `user-${counter.value}`,
  createdAt: at(0),
  lastSeenAt: at(0),
  expiresAt: at(1000),
  ip: null,
  userAgent: null,
  device: null,
  method: 'password',
  ...fields,
});

/** Runs the same thing `n` times at once and answers how often it said yes. */
export async function winners(n: number, work: (i: number) => Promise<boolean>): Promise<number> {
  const results = await Promise.all(Array.from({ length: n }, (_, i) => work(i)));
  return results.filter(Boolean).length;
}

let sequence = 0;
/** An act at this moment; of one moment, those made first come first. */
export function auditRecord(ms: number, fields: Partial<StoredAuditRecord> = {}): StoredAuditRecord {
  return {
    id: uuidv7({ msecs: at(ms).getTime(), seq: ++sequence }),
    at: at(ms),
    operation: 'login',
    by: 'self',
    actor: null,
    subject: 'ada',
    outcome: 'ok',
    code: null,
    changes: null,
    count: 1,
    ip: '192.0.2.1',
    requestId: 'request',
    device: 'Firefox on Linux',
    fold: null,
    ...fields,
  };
}

/** Purges a table at the moment at which rows that ended at this time are kept no longer. Returns how many were removed. */
export function purgeEndedAt({ rows }: Pick<Repositories, 'rows'>, name: TableName, time: Date) {
  const { ends }: Table = tables[name];
  const keptMs = (ends?.keptSeconds ?? graceSeconds) * 1000;
  return rows.purgeEnded(name, new Date(time.getTime() + keptMs), 0);
}
