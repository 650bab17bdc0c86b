import type { BoundTables } from '../tables/bind.ts';
import type { LoginAttempt } from '../tables/login-attempt.ts';
import type { PasswordFailures } from '../tables/password-failures.ts';
import type { PendingRegistration } from '../tables/pending-registration.ts';
import type { User } from '../tables/user.ts';
import type { SignInKey, SignInRows } from './backend.ts';
import type { Driver } from './sql-driver.ts';
import { type SqlDialect, tableOf } from './sql-text.ts';

interface Parts {
  tables: BoundTables;
  dialect: SqlDialect;
  driver: Driver;
}

/** The one statement that reads all that a sign-in with a password starts from; its values are an address and a decoy. */
export function postgresqlSignIns({ tables, dialect, driver }: Parts) {
  const users = tableOf(tables.users, dialect);
  const pending = tableOf(tables.pending, dialect);
  const attempts = tableOf(tables.attempts, dialect);
  const failures = tableOf(tables.password_failures, dialect);

  const withPassword = `select ${users.key} from ${users.name}
    where ${users.column('email')} = $1::text and ${users.column('hashedPassword')} <> ''`;
  const parts = [
    { table: users, condition: `${users.column('email')} = $1::text` },
    { table: pending, condition: `${pending.column('email')} = $1::text` },
    { table: attempts, condition: `${attempts.column('subject')} = $1::text` },
    { table: failures, condition: `${failures.column('subject')} = coalesce((${withPassword}), $2::text)` },
  ];
  const statements = parts.map(
    ({ table, condition }, part) =>
      `select ${part} as part, to_json(found) as row
        from (select ${table.selection} from ${table.name} where ${condition}) found`,
  );
  const whole = statements.join(' union all ');
  const withoutFailures = statements.slice(0, -1).join(' union all ');

  return async ({ email, decoy }: SignInKey): Promise<SignInRows> => {
    const rows = await (decoy === null
      ? driver.read(withoutFailures, [email])
      : driver.read(whole, [email, decoy]));
    const of = (part: number) =>
      rows
        .filter(row => row.part === part)
        .map(({ row }) => parts[part]!.table.read(row as Record<string, unknown>));
    return {
      user: (of(0)[0] as User | undefined) ?? null,
      pending: (of(1)[0] as PendingRegistration | undefined) ?? null,
      attempts: of(2) as LoginAttempt[],
      failures: (of(3)[0] as PasswordFailures | undefined) ?? null,
    };
  };
}
