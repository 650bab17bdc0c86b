import type { NodeUser, ToNodeUser } from '../contract/views/account.ts';
import type { AccessClaims, Claims } from '../crypto/claims.ts';
import type { Keys } from '../domain/life-cycle.ts';
import type { Key, KeyHolder, Session } from '../domain/session.ts';
import type { SessionRules } from '../domain/session-rules.ts';
import { GatehouseError } from '../errors.ts';
import { isPlainObject } from '../plain-object.ts';
import { say } from '../words/said.ts';
import { callerOf } from './caller.ts';
import type { AuthOrResponse } from './guard.ts';
import type { HttpRequest } from './message.ts';
import type { SessionRequirements } from './requirements.ts';

/** Who may use a route of a host: people with a session, and scripts with a key or a token. */
export interface AccessRequirements {
  /** Scopes, all of which a key or a token must have; none is `[]`. A session has every scope. */
  scopes: readonly string[];
  /** Whether a session counts; true unless it is false. */
  session?: boolean;
  /** Whether an API key counts; true while `enable_api_keys` is on, unless it is false. */
  apiKey?: boolean;
  /** The name of the resource whose access tokens count. Then the scopes are those of this resource. */
  token?: string;
  /** A role that the user must have; others are refused with 403 `forbidden`. */
  role?: string;
  /** Whether the session may also be the one that the browser keeps (`enable_browser_sessions`). */
  browser?: boolean;
}

/** A person, and by what a request counts as theirs. */
interface By<Kind, Scopes, Sent, Contents> {
  kind: Kind;
  user: NodeUser;
  /** Those of the key or the token; null for a session, which has every one. */
  scopes: Scopes;
  /** The API key; null for a session and a token. */
  key: Sent;
  /** Those of the session or the token, by their names in it; null for a key. */
  claims: Contents;
}

/** Who sent a request, and by what: `kind` decides about the other members. */
export type AccessAuth =
  | By<'session', null, null, Claims>
  | By<'api_key', string[], Key, null>
  | By<'token', string[], null, AccessClaims>;

/** Who sent a request of the Fetch standard, or the response that refuses it. */
export type AccessProtected = AuthOrResponse<AccessAuth>;

/** An access token that counts for a resource. */
export interface TokenHolder {
  user: NodeUser;
  scopes: string[];
  claims: AccessClaims;
}

/** Returns what checks the tokens of a resource, by a name that the configuration has. */
export type VerifierOf = (resource: string) => (token: string) => Promise<TokenHolder>;

export interface AccessParts {
  /** The scopes of each resource, by its name. */
  scopesOf: ReadonlyMap<string, readonly string[]>;
  /** Absent while there are no keys. */
  keys: Keys | undefined;
  /** Absent while there are no access tokens. */
  verifierOf: VerifierOf | undefined;
  rules: SessionRules;
  toNodeUser: ToNodeUser;
  sessionOf(request: HttpRequest, required: SessionRequirements): Promise<Session>;
  assertBrowser(guard: string): void;
  assertRole(guard: string, role: string): void;
}

const known = ['scopes', 'session', 'apiKey', 'token', 'role', 'browser'];

/**
 * Returns what admits requests to a route of a host (CONTRACT §17).
 * @throws {TypeError} for requirements that are unknown or that the configuration cannot fulfil
 */
export function accessCheck(guard: string, given: unknown, parts: AccessParts) {
  const required = readAccess(guard, given, parts);
  const { keys, verifierOf, rules, toNodeUser, sessionOf } = parts;
  const { scopes, session = true, apiKey = keys !== undefined, token, role, browser = false } = required;
  const verify = token === undefined ? null : verifierOf!(token);

  async function find(request: HttpRequest): Promise<AccessAuth & { roles: readonly string[] }> {
    const caller = callerOf(request);
    const { authorization, bearer } = caller;
    if (keys?.isSent(caller)) {
      const holder = apiKey ? await keys.holderOf(caller) : null;
      if (!holder) throw new GatehouseError('unauthenticated');
      if (rules.requiresEnrolment) await rules.assertUnrestricted(holder.user);
      return {
        ...ofUser(holder.user),
        kind: 'api_key',
        scopes: [...holder.key.scopes],
        key: holder.key,
        claims: null,
      };
    }
    if (bearer !== undefined && isAccessToken(bearer)) {
      if (!verify) throw new GatehouseError('unauthenticated');
      const { user, scopes, claims } = await verify(bearer);
      return { kind: 'token', user, scopes, key: null, claims, roles: user.roles ?? [] };
    }
    if (!session) throw new GatehouseError('unauthenticated');
    const found = await sessionOf(request, { browser: browser && authorization === undefined });
    return { ...ofUser(found.user), kind: 'session', scopes: null, key: null, claims: found.claims };
  }

  const ofUser = (user: KeyHolder['user']) => ({ user: toNodeUser(user), roles: user.roles ?? [] });

  /** @throws {GatehouseError} unauthenticated, mfa_enrolment_required, insufficient_scope, forbidden */
  async function check(request: HttpRequest): Promise<AccessAuth> {
    const { roles, ...auth } = await find(request);
    if (auth.scopes && !scopes.every(scope => auth.scopes!.includes(scope)))
      throw new GatehouseError('insufficient_scope', { scopes });
    if (role !== undefined && !roles.includes(role))
      throw new GatehouseError('forbidden', { detail: say('error_role', { role }) });
    return auth;
  }

  return { check, browser };
}

function readAccess(guard: string, given: unknown, parts: AccessParts): AccessRequirements {
  const { scopesOf, keys, verifierOf, assertBrowser, assertRole } = parts;
  if (!isPlainObject(given)) throw new TypeError(`${guard} takes an object with scopes.`);
  for (const name of Object.keys(given))
    if (!known.includes(name))
      throw new TypeError(`${guard} knows no ${name}: there are ${known.join(', ')}.`);
  const required = given as Partial<AccessRequirements>;
  const { scopes, token, role } = required;
  for (const name of ['session', 'apiKey', 'browser'] as const)
    if (required[name] !== undefined && typeof required[name] !== 'boolean')
      throw new TypeError(`${name} of ${guard} must be true or false.`);
  if (!Array.isArray(scopes))
    throw new TypeError(`scopes of ${guard} must be a list; [] says that none is needed.`);
  if (required.apiKey && !keys)
    throw new TypeError(`${guard}({ apiKey: true }) needs enable_api_keys = true.`);
  if ('token' in required && !verifierOf)
    throw new TypeError(`${guard}({ token }) needs enable_tokens = true.`);
  if ('token' in required && !scopesOf.has(String(token)))
    throw new TypeError(`${guard} knows no resource ${String(token)}.`);
  const all = token === undefined ? ['profile', ...[...scopesOf.values()].flat()] : scopesOf.get(token)!;
  for (const scope of scopes)
    if (!all.includes(scope)) throw new TypeError(`${guard} knows no scope ${String(scope)}.`);
  if ('role' in required) assertRole(guard, String(role));
  if (required.browser) assertBrowser(guard);
  return { ...required, scopes };
}

/** Returns whether a token calls itself an access token; its signature is checked later. */
function isAccessToken(token: string): boolean {
  try {
    const { typ } = JSON.parse(Buffer.from(token.split('.')[0]!, 'base64url').toString()) as {
      typ?: unknown;
    };
    return typeof typ === 'string' && /^(application\/)?at\+jwt$/i.test(typ);
  } catch {
    return false;
  }
}
