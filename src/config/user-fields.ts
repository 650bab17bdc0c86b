import { camelCase } from './names.ts';
import type { TogetherProblem } from './prefixes.ts';

/** The names that are taken: those of the other fields of a user. */
export const takenNames: readonly string[] = [
  ...['id', 'email', 'full_name', 'phone_number', 'is_active', 'is_verified', 'is_superuser'],
  ...['is_mfa_enabled', 'created_at', 'updated_at', 'last_login', 'tokens_invalidated_after'],
  ...['fields', 'roles'],
];

const validName = /^[a-z][a-z0-9_]*$/;

/** Returns the problems of the `[user_fields.NAME]` tables that their schema does not find. */
export function userFieldProblems({
  user_fields: tables,
  locales,
}: Record<string, unknown>): TogetherProblem[] {
  if (typeof tables !== 'object' || tables === null) return [];
  // Only with several languages a user has a field for the own one (CONTRACT §20.2).
  const isSpoken = Array.isArray(locales) && locales.length > 1;
  const taken = isSpoken ? [...takenNames, 'locale'] : takenNames;
  const seen = new Map<string, string>();
  return Object.entries(tables).flatMap(([name, table]): TogetherProblem[] => {
    const path = ['user_fields', name];
    if (!validName.test(name)) {
      const message =
        'must have a name of lower-case letters, digits and underscores that begins with a letter';
      return [{ path, message }];
    }
    if (taken.includes(name)) return [{ path, message: 'has the name of a field that every user has' }];
    const inGraphql = camelCase(name);
    if (name in {} || inGraphql in {}) {
      return [{ path, message: 'has a name that every object has in JavaScript' }];
    }
    // GraphQL's executor would wait for it, and fail for every user with a value there.
    if (name === 'then')
      return [{ path, message: 'has a name that makes an object a promise in JavaScript' }];
    const other = seen.get(inGraphql);
    seen.set(inGraphql, name);
    const problems: TogetherProblem[] = [];
    if (other) problems.push({ path, message: `is ${inGraphql} in GraphQL, and so is ${other}` });
    const { required, editable_by: editor = 'user' } = table as Record<string, unknown>;
    if (required === true && editor !== 'user') {
      const message = 'needs editable_by = "user": the field is asked for at registration';
      problems.push({ path: [...path, 'required'], message });
    }
    return problems;
  });
}

/** Returns the label of a field that has none: `vat_number` → `Vat number`. */
export function labelOf(name: string): string {
  const words = name.replaceAll('_', ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
