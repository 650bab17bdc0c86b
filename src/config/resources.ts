import { textIn } from '../words/by-language.ts';
import { isPlainName, needsPlainName } from './plain-names.ts';
import type { TogetherProblem } from './prefixes.ts';
import { defaultBaseUrl } from './schema/fields.ts';
import type { ParsedConfig } from './schema.ts';

/** The claims of a person that a resource may ask for, beside own fields. */
const personalClaims = ['email', 'email_verified', 'name', 'roles'] as const;

/**
 * Scopes of OpenID Connect (Core §5.4, §11), which are not a resource's, the one that opens something here, and a name that
 * no object of JavaScript keeps.
 */
const reservedScopes = ['openid', 'profile', 'email', 'phone', 'roles', 'offline_access', '__proto__'];

/** JavaScript lists such members of an object first, wherever they were written. */
const wholeNumber = /^(?:0|[1-9]\d*)$/;

/** Names that a token or an introspection already uses: CONTRACT §16.3, RFC 7519, 7662, 7800, 8693, 9068. */
const reservedClaims = [
  ...['iss', 'aud', 'sub', 'jti', 'iat', 'exp', 'nbf', 'client_id', 'session_ref', 'key_id', 'scope'],
  ...['auth_time', 'acr', 'amr', 'active', 'username', 'token_type', 'act', 'may_act', 'cnf'],
  ...['groups', 'entitlements'],
];

/** Returns an identifier without the slash that an empty path may be written with (RFC 3986 §6.2.3). */
export const comparableIdentifier = (identifier: string): string =>
  identifier.replace(/^([A-Za-z][A-Za-z0-9+.-]*:\/\/[^/]+)\/$/, '$1');

type Table = Record<string, unknown>;
type Given = Readonly<Record<string, unknown>>;
type Resources = [name: string, table: Table][];

const isTable = (value: unknown): value is Table => typeof value === 'object' && value !== null;

/** Returns the problems of the `[resources.NAME]` tables, and of `issuer`, that their schemas do not find. */
export function resourceProblems(given: Given): TogetherProblem[] {
  const tables = isTable(given.resources) ? Object.entries(given.resources) : [];
  const resources: Resources = tables.flatMap(([name, table]) => (isTable(table) ? [[name, table]] : []));
  return [
    ...resources.flatMap(([name]) => nameProblems(name)),
    ...identifierProblems(resources),
    ...scopeProblems(resources),
    ...resources.flatMap(([name, { claims }]) => claimProblems(name, claims, given.user_fields)),
    ...issuerProblems(given),
  ];
}

const nameProblems = (name: string): TogetherProblem[] =>
  isPlainName(name) ? [] : [{ path: ['resources', name], message: needsPlainName }];

function identifierProblems(resources: Resources): TogetherProblem[] {
  const seen = new Map<string, string>();
  return resources.flatMap(([name, { identifier }]): TogetherProblem[] => {
    if (typeof identifier !== 'string') return [];
    const other = seen.get(comparableIdentifier(identifier));
    seen.set(comparableIdentifier(identifier), name);
    if (other === undefined) return [];
    return [{ path: ['resources', name, 'identifier'], message: `is that of ${other}, too` }];
  });
}

function scopeProblems(resources: Resources): TogetherProblem[] {
  const owners = new Map<string, string>();
  return resources.flatMap(([name, { scopes }]) =>
    Object.keys(isTable(scopes) ? scopes : {}).flatMap((scope): TogetherProblem[] => {
      const path = ['resources', name, 'scopes'];
      if (reservedScopes.includes(scope))
        return [{ path, message: `can't name ${scope}, which is reserved` }];
      if (wholeNumber.test(scope))
        return [{ path, message: `can't name ${scope}: a whole number would come before the others` }];
      const owner = owners.get(scope);
      owners.set(scope, name);
      return owner === undefined ? [] : [{ path, message: `can't name ${scope}, which belongs to ${owner}` }];
    }),
  );
}

function claimProblems(name: string, claims: unknown, userFields: unknown): TogetherProblem[] {
  const own = isTable(userFields) ? userFields : {};
  const problemWith = (claim: string): string | null => {
    if ((personalClaims as readonly string[]).includes(claim)) return null;
    const field = Object.hasOwn(own, claim) ? own[claim] : undefined;
    if (!isTable(field)) return `can't name ${claim}: there are ${personalClaims.join(', ')} and own fields`;
    if (reservedClaims.includes(claim)) return `can't name ${claim}, which means something else in a token`;
    const { visible_to: viewer = 'user' } = field;
    return viewer === 'user' ? null : `can't name ${claim}, which people can't see (visible_to)`;
  };
  const path = ['resources', name, 'claims'];
  return (Array.isArray(claims) ? claims : []).flatMap((claim): TogetherProblem[] => {
    const message = typeof claim === 'string' ? problemWith(claim) : null;
    return message === null ? [] : [{ path, message }];
  });
}

/** An issuer is compared as text, so it has one spelling: that of the URL standard, without a slash at its end. */
function issuerProblems({ issuer, base_url: baseUrl = defaultBaseUrl }: Given): TogetherProblem[] {
  if (typeof issuer !== 'string' || typeof baseUrl !== 'string' || !URL.canParse(baseUrl)) return [];
  const { origin } = new URL(baseUrl);
  const path = issuer.startsWith(origin) ? issuer.slice(origin.length) : null;
  const isPath = path !== null && /^(\/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*$/.test(path);
  if (isPath) return [];
  const message = `must be base_url, or a path of it without a slash at its end, such as ${origin}/accounts`;
  return [{ path: ['issuer'], message }];
}

/** Returns the resources with their labels in the default language, and the issuer. */
export const deriveResources = ({ baseUrl, issuer, resources, defaultLocale }: ParsedConfig) => ({
  issuer: issuer ?? baseUrl,
  resources: Object.fromEntries(
    Object.entries(resources).map(([name, resource]) => [
      name,
      { ...resource, label: textIn(resource.label ?? name, defaultLocale) },
    ]),
  ),
});
