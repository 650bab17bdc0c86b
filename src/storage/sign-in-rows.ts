import type { BoundTables } from '../tables/bind.ts';
import type { LoginAttempt } from '../tables/login-attempt.ts';
import type { PasswordFailures } from '../tables/password-failures.ts';
import type { PendingRegistration } from '../tables/pending-registration.ts';
import type { User } from '../tables/user.ts';
import type { Backend, SignInKey, SignInRows } from './backend.ts';

interface SignInTables extends Pick<Backend, 'find'> {
  tables: BoundTables;
}

/** Reads the failures, when the user is known; null where none are counted. */
export async function readFailures(
  { tables, find }: SignInTables,
  user: User | null,
  decoy: string | null,
): Promise<PasswordFailures | null> {
  if (decoy === null) return null;
  const [failures] = await find(tables.password_failures, {
    subject: user?.hashedPassword ? user.id : decoy,
  });
  return (failures as PasswordFailures | undefined) ?? null;
}

/** Reads one table after another: for SQLite, where a statement needs no way to a server. */
export async function readSignInTables(
  backend: SignInTables,
  { email, decoy }: SignInKey,
): Promise<SignInRows> {
  const { tables, find } = backend;
  const [[user = null], [pending = null], attempts] = (await Promise.all([
    find(tables.users, { email }),
    find(tables.pending, { email }),
    find(tables.attempts, { subject: email }),
  ])) as [User[], PendingRegistration[], LoginAttempt[]];
  return { user, pending, attempts, failures: await readFailures(backend, user, decoy) };
}
