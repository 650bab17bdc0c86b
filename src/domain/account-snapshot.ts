import { createHash } from 'node:crypto';
import type { DataEncryption } from '../crypto/data-key.ts';
import { UnreadableSecret } from '../crypto/data-key.ts';
import { hashInForce } from '../crypto/stopped-password.ts';
import type { NotMeLink } from '../entities/not-me-link.ts';
import type { RecoveryCodes } from '../entities/recovery-codes.ts';
import type { User } from '../entities/user.ts';
import type { Repositories } from '../storage/repositories/index.ts';

/**
 * What an account was signed in to with, at one moment. What was added since is what is not in it: nothing compares times,
 * so no clock of a process counts.
 */
export interface AccountSnapshot {
  email: string;
  isVerified: boolean;
  /** The hash of the password that was in force; null where there was none. */
  hashedPassword: string | null;
  phoneNumber: string | null;
  /** Ids. */
  authenticators: string[];
  /** Ids. */
  identities: string[];
  /** Digests of the hashes of the recovery codes that were left. */
  recoveryCodes: string[];
  passwordMails: number;
  restorations: number;
}

/** A snapshot with what was added or changed just after it. */
export interface Reported {
  before: AccountSnapshot;
  about: Addition;
}

/** What was added or changed: `authenticator:<id>`. */
export type Addition =
  | `${'authenticator' | 'identity' | 'phone' | 'email'}:${string}`
  | 'recovery_codes'
  | null;

type SnapshotRepositories = Pick<Repositories, 'authenticators' | 'oauth_identities' | 'recovery_codes'>;

/** Returns what identifies a set of recovery codes, used ones apart. */
export const digestsOf = (row: RecoveryCodes | null): string[] =>
  row === null
    ? []
    : (JSON.parse(row.hashes) as (string | null)[]).flatMap(hash => (hash === null ? [] : [digestOf(hash)]));

const digestOf = (text: string) => createHash('sha256').update(text).digest('base64url').slice(0, 22);

/** Returns the snapshot of an account, of which the user was read before. */
export async function takeSnapshot(
  { authenticators, oauth_identities, recovery_codes }: SnapshotRepositories,
  user: User,
): Promise<AccountSnapshot> {
  const [factors, identities, codes] = await Promise.all([
    authenticators.listByUser(user.id),
    oauth_identities.listByUser(user.id),
    recovery_codes.find(user.id),
  ]);
  const { email, isVerified, phoneNumber } = user;
  return {
    ...{ email, isVerified, phoneNumber },
    hashedPassword: hashInForce(user.hashedPassword),
    authenticators: factors.map(({ id }) => id),
    identities: identities.map(({ id }) => id),
    recoveryCodes: digestsOf(codes),
    passwordMails: user.passwordMails ?? 0,
    restorations: user.restorations ?? 0,
  };
}

/** What an encrypted snapshot is bound to: copied to another row, it does not decrypt. */
const boundTo = ({ id, userId }: Pick<NotMeLink, 'id' | 'userId'>) => ['not_me', userId, id];

export const sealReported = (
  encryption: DataEncryption,
  row: Pick<NotMeLink, 'id' | 'userId'>,
  reported: Reported,
): string => encryption.encrypt(JSON.stringify(reported), boundTo(row));

/** Returns what a link holds, or null when no configured key opens it. */
export function openReported(encryption: DataEncryption, row: NotMeLink): Reported | null {
  try {
    return JSON.parse(encryption.decrypt(row.snapshot, boundTo(row)).text) as Reported;
  } catch (error) {
    if (error instanceof UnreadableSecret) return null;
    throw error;
  }
}
