import { createPrivateKey } from 'node:crypto';
import { environmentName } from './names.ts';
import { isPlainName, needsPlainName } from './plain-names.ts';
import type { TogetherProblem } from './prefixes.ts';
import { tenantPlaceholder } from './schema/fields.ts';
import type { ProviderKind } from './schema/providers.ts';

/** The fields that only some kinds have, and those of them that these need. */
const own: Record<ProviderKind, { has: readonly string[]; needs: readonly string[] }> = {
  oidc: {
    has: ['issuer', 'client_secret', 'client_auth', 'max_age_seconds'],
    needs: ['issuer', 'client_secret'],
  },
  github: { has: ['client_secret', 'authorization_url', 'token_url', 'api_url'], needs: ['client_secret'] },
  microsoft: { has: ['issuer', 'tenant', 'client_secret', 'max_age_seconds'], needs: ['client_secret'] },
  apple: {
    has: ['issuer', 'team_id', 'key_id', 'private_key', 'max_age_seconds'],
    needs: ['team_id', 'key_id', 'private_key'],
  },
};
const owned = new Set(Object.values(own).flatMap(({ has }) => has));

/** The addresses of one installation of GitHub: secrets of one must not be sent to another. */
const githubUrls = ['authorization_url', 'token_url', 'api_url'];

type Table = Record<string, unknown>;

/** Returns the problems of the `[oauth.providers.NAME]` tables that their schema does not find. */
export function providerProblems(oauth: Table): TogetherProblem[] {
  const { providers } = oauth;
  if (typeof providers !== 'object' || providers === null) return [];
  return Object.entries(providers).flatMap(([name, table]) => [
    ...nameProblems(name, oauth),
    ...tableProblems(name, table as Table),
  ]);
}

function nameProblems(name: string, oauth: Table): TogetherProblem[] {
  const path = ['oauth', 'providers', name];
  if (!isPlainName(name)) return [{ path, message: needsPlainName }];
  if (name === 'google' && oauth.google_client_id) {
    return [{ path, message: 'is configured by oauth.google_client_id, too: choose one' }];
  }
  return [];
}

function tableProblems(name: string, table: Table): TogetherProblem[] {
  const place = ['oauth', 'providers', name];
  const kind = (table.kind ?? 'oidc') as ProviderKind;
  if (!Object.hasOwn(own, kind)) return [];
  const { has, needs } = own[kind];
  const isPublic = table.client_auth === 'none';
  const problems: TogetherProblem[] = [];
  const lacking = ['client_id', ...needs].filter(
    key => !table[key] && !(isPublic && key === 'client_secret'),
  );
  if (lacking.length > 0) {
    const variables = lacking.map(key => environmentName([...place, key]));
    const message = `needs ${listOf(lacking)}: set them here, or ${listOf(variables)} in the environment or the secrets file`;
    problems.push({ path: place, message: lacking.length > 1 ? message : message.replace('them', 'it') });
  }
  for (const key of owned) {
    if (table[key] !== undefined && !has.includes(key)) {
      problems.push({ path: [...place, key], message: `does not belong to the kind ${kind}` });
    }
  }
  if (isPublic && table.client_secret) {
    problems.push({ path: [...place, 'client_secret'], message: 'has no use with client_auth = "none"' });
  }
  const missing = githubUrls.filter(key => !table[key]);
  if (missing.length > 0 && missing.length < githubUrls.length) {
    problems.push({ path: place, message: `needs ${listOf(missing)} of the same installation` });
  }
  const isTemplate = String(table.issuer ?? '').includes(tenantPlaceholder);
  if (table.issuer !== undefined && isTemplate !== (kind === 'microsoft')) {
    const message = isTemplate
      ? `must not contain ${tenantPlaceholder}`
      : `must contain ${tenantPlaceholder}`;
    problems.push({ path: [...place, 'issuer'], message });
  }
  if (kind === 'apple' && typeof table.private_key === 'string' && !isP256(table.private_key)) {
    const message = 'must be the key that Apple gave you, in PEM: an EC key of the curve P-256';
    problems.push({ path: [...place, 'private_key'], message });
  }
  return problems;
}

const listOf = (names: string[]) => new Intl.ListFormat('en').format(names);

/** Returns a PEM with its line breaks, which a secrets file has to write as `\n`. */
export const pemOf = (text: string) => text.replaceAll('\\n', '\n');

/** Returns whether a text is a key as Apple gives one. */
export function isP256(pem: string): boolean {
  try {
    const { asymmetricKeyType, asymmetricKeyDetails } = createPrivateKey(pemOf(pem));
    return asymmetricKeyType === 'ec' && asymmetricKeyDetails?.namedCurve === 'prime256v1';
  } catch {
    return false;
  }
}
