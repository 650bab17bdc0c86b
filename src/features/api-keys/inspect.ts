import type { Inspection } from '../../composition/open-feature.ts';
import type { Factors } from '../../domain/factors.ts';
import type { KeyChecks } from './checks.ts';
import { looksLikeKey } from './key-form.ts';
import type { ApiKeys } from './keys.ts';

interface Parts {
  checks: KeyChecks;
  keys: ApiKeys;
  factors: Factors;
}

/** Tells an operator about an API key: what is stored of it, and whether it is active. */
export const createKeyInspect =
  ({ checks, keys, factors }: Parts) =>
  async (text: string): Promise<Inspection | null> => {
    if (!looksLikeKey(text)) return null;
    const found = await checks.look(text);
    if (!found) return { kind: 'api_key', claims: {}, active: false };
    const { row, user, counts } = found;
    const active = counts && !(await factors.isRestricted(user));
    return { kind: 'api_key', claims: { user_id: user.id, ...keys.viewOf(row, user) }, active };
  };
