import type { LoginAttempt } from '../entities/login-attempt.ts';
import type { PasswordFailures } from '../entities/password-failures.ts';
import type { PendingRegistration } from '../entities/pending-registration.ts';
import type { User } from '../entities/user.ts';
import type { Backend, SignInKey, SignInRows } from './backend.ts';

/** Reads the failures, when the user is known; null where none are counted. */
export async function readFailures(
  { entities, find }: Pick<Backend, 'entities' | 'find'>,
  user: User | null,
  decoy: string | null,
): Promise<PasswordFailures | null> {
  if (decoy === null) return null;
  const [failures] = await find(entities.passwordFailures, {
    subject: user?.hashedPassword ? user.id : decoy,
  });
  return (failures as PasswordFailures | undefined) ?? null;
}

/** Reads one table after another: for SQLite, where a statement needs no way to a server. */
export async function readSignInTables(
  backend: Pick<Backend, 'entities' | 'find'>,
  { email, decoy }: SignInKey,
): Promise<SignInRows> {
  const { entities, find } = backend;
  const [[user = null], [pending = null], attempts] = (await Promise.all([
    find(entities.user, { email }),
    find(entities.pending, { email }),
    find(entities.loginAttempt, { subject: email }),
  ])) as [User[], PendingRegistration[], LoginAttempt[]];
  return { user, pending, attempts, failures: await readFailures(backend, user, decoy) };
}
