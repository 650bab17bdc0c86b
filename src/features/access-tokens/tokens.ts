import { v4 as uuidv4 } from 'uuid';
import { type Clock, clockToleranceMs } from '../../clock.ts';
import type { Config } from '../../config/schema.ts';
import type { AccessClaims } from '../../crypto/claims.ts';
import { acrOf } from '../../domain/acr.ts';
import { isRevoked } from '../../domain/authentication.ts';
import type { Factors } from '../../domain/factors.ts';
import type { LifeCycle } from '../../domain/life-cycle.ts';
import type { Resource, Resources } from '../../domain/resources.ts';
import type { Key, Session } from '../../domain/session.ts';
import type { SessionList } from '../../domain/session-list.ts';
import { GatehouseError } from '../../errors.ts';
import type { Repositories } from '../../storage/repositories/index.ts';
import type { User } from '../../tables/user.ts';
import { say } from '../../words/said.ts';
import { isComplete, parseToken, signToken } from './jws.ts';
import { isSigned } from './keys.ts';
import type { Ring } from './ring.ts';

export type AccessTokens = ReturnType<typeof createAccessTokens>;

/** The sources of access tokens: their `client_id`. */
export const tokenClients = ['session', 'api_key', 'host'] as const;
export type TokenClient = (typeof tokenClients)[number];

/** The longest lifetime of a token, in milliseconds (CONTRACT §16.1). */
const longestMs = 3_600_000;

/** For so many tokens a process remembers that their signature is right. */
const mostVerified = 5000;

export interface Issued {
  token: string;
  claims: AccessClaims;
  /** In seconds. */
  expiresIn: number;
  scopes: string[];
}

/** A token that is valid for a resource, and its person as of now. */
export interface ValidToken {
  claims: AccessClaims;
  user: User;
}

/** The claims of a token whose signature is right, and the key that signed it. */
interface Verified {
  kid: string;
  claims: AccessClaims;
}

const signatureOf = (token: string) => token.slice(token.lastIndexOf('.') + 1);

interface Parts {
  config: Pick<Config, 'issuer' | 'signingAlgorithms' | 'accessTokenTtlSeconds'>;
  clock: Clock;
  ring: Ring;
  resources: Resources;
  repositories: Pick<Repositories, 'users' | 'blacklist'>;
  factors: Factors;
  sessionList: SessionList | undefined;
  /** Knows the keys that tokens come from. */
  lifeCycle: Pick<LifeCycle, 'keys'>;
}

/** Issues and checks access tokens (RFC 9068, CONTRACT §16.3). */
export function createAccessTokens(parts: Parts) {
  const { config, clock, ring, resources, repositories, factors, sessionList, lifeCycle } = parts;
  const { users } = repositories;
  /** Tokens whose signature was right, by the signature, which is quicker to hash than the whole text; the oldest first. */
  const verified = new Map<string, Verified & { token: string }>();
  const issued: Record<TokenClient, number> = { session: 0, api_key: 0, host: 0 };

  function remember(sent: string, entry: Verified): void {
    if (verified.size >= mostVerified) verified.delete(verified.keys().next().value!);
    // A copy, so that it does not keep the headers that it is a part of.
    const token = Buffer.from(sent).toString();
    verified.set(signatureOf(token), { token, ...entry });
  }

  type Source = Pick<AccessClaims, 'client_id' | 'session_ref' | 'key_id' | 'auth_time' | 'acr' | 'amr'>;

  /** @param endsAt in milliseconds since 1970: the end of the session or key that it comes from */
  async function sign(
    resource: Resource,
    user: User,
    scopes: readonly string[],
    source: Source & { client_id: TokenClient },
    endsAt = Number.POSITIVE_INFINITY,
  ): Promise<Issued> {
    const algorithm = resource.signingAlgorithm ?? config.signingAlgorithms[0]!;
    const key = await ring.current(algorithm);
    const now = clock.now().getTime();
    const lifetimeMs = (resource.tokenTtlSeconds ?? config.accessTokenTtlSeconds) * 1000;
    const iat = Math.floor(now / 1000);
    const exp = Math.floor(Math.min(now + lifetimeMs, endsAt) / 1000);
    const granted = resource.scopes.filter(scope => scopes.includes(scope));
    const { client_id, session_ref, key_id, auth_time, acr, amr } = source;
    const claims: AccessClaims = {
      ...{ iss: config.issuer, aud: resource.identifier, sub: user.id, jti: uuidv4(), iat, exp, client_id },
      ...{ session_ref, key_id, scope: granted.join(' '), auth_time, acr, amr },
      ...resources.claimsOf(resource, user),
    };
    const token = signToken(key, algorithm, claims);
    // As a check reads them: its own signature a process need not verify.
    remember(token, { kid: key.kid, claims: JSON.parse(JSON.stringify(claims)) });
    issued[client_id] += 1;
    return { token, claims, expiresIn: Math.max(1, exp - iat), scopes: granted };
  }

  /** Returns the claims of a token that Gatehouse has signed for a resource and that has not expired, or null. */
  async function verifySigned(token: string, resource: Resource): Promise<AccessClaims | null> {
    const known = verified.get(signatureOf(token));
    const isKnown = known?.token === token && (await ring.find(known.kid));
    const claims = isKnown ? known.claims : await signedClaims(token);
    if (!claims || claims.iss !== config.issuer || claims.aud !== resource.identifier) return null;
    const leftMs = claims.exp * 1000 - clock.now().getTime();
    // Only a clock that was wrong at signing can have set the expiry so far ahead.
    return leftMs > 0 && leftMs <= longestMs + clockToleranceMs ? claims : null;
  }

  async function signedClaims(token: string): Promise<AccessClaims | null> {
    const parsed = parseToken(token);
    if (!parsed) return null;
    const { header, payload, signed, signature } = parsed;
    const key = await ring.find(header.kid);
    // The algorithm is that of the key, whatever the token says (RFC 8725 §3.1).
    if (!key || key.algorithm !== header.alg || !isComplete(payload)) return null;
    if (!isSigned(key.algorithm, key.publicKey, signed, signature)) return null;
    remember(token, { kid: key.kid, claims: payload });
    return payload;
  }

  /** Returns the session of a token: its id, and when it was issued, in milliseconds since 1970. */
  function sessionOf({ session_ref = '' }: AccessClaims): { jti: string; issuedMs: number } | null {
    const [, jti, issued = ''] = /^(.+)\.([0-9a-z]+)$/.exec(session_ref) ?? [];
    return jti === undefined ? null : { jti, issuedMs: Number.parseInt(issued, 36) };
  }

  /** A token that was refused once stays refused after a crash of the database. */
  async function refuse(): Promise<null> {
    await users.awaitDurability();
    return null;
  }

  /** A token of a key ends with the key and the account; a cutoff leaves it (CONTRACT §16.3). */
  async function checkOfKey(claims: AccessClaims): Promise<ValidToken | null> {
    const holder = await lifeCycle.keys?.findOfToken(claims.key_id ?? '', claims.jti);
    return holder?.user.id === claims.sub ? { claims, user: holder.user } : refuse();
  }

  return {
    issued,

    /** Returns a token of a session. */
    ofSession: (resource: Resource, { user, claims }: Session, scopes: readonly string[]): Promise<Issued> =>
      sign(
        resource,
        user,
        scopes,
        {
          client_id: 'session',
          session_ref: `${claims.jti}.${Math.round(claims.iat * 1000).toString(36)}`,
          auth_time: claims.auth_time ?? Math.floor(claims.iat),
          acr: acrOf(claims),
          amr: claims.amr ?? [],
        },
        claims.exp * 1000,
      ),

    /** Returns a token of an API key. */
    ofKey: (
      resource: Resource,
      user: User,
      { id, expiresAt }: Key,
      scopes: readonly string[],
    ): Promise<Issued> =>
      sign(resource, user, scopes, { client_id: 'api_key', key_id: id }, expiresAt?.getTime()),

    /** Returns a token of the host, whose time of issue has been stored with the user. */
    ofHost: (resource: Resource, user: User, scopes: readonly string[], issuedAt: Date): Promise<Issued> =>
      sign(resource, user, scopes, {
        client_id: 'host',
        session_ref: `-.${issuedAt.getTime().toString(36)}`,
      }),

    /**
     * Returns a token that counts for a resource, with its person, or null. The person, and whether the token or its session
     * was ended, come from one statement.
     * @throws {GatehouseError} unavailable
     */
    async check(token: string, resource: Resource): Promise<ValidToken | null> {
      const claims = await verifySigned(token, resource);
      if (claims?.client_id === 'api_key') return checkOfKey(claims);
      const session = claims && sessionOf(claims);
      if (!claims || !session) return null;
      const isOfHost = claims.client_id === 'host';
      const row = isOfHost
        ? await users.findSession(claims.sub, claims.jti)
        : await users.findToken(claims.sub, session.jti, claims.jti);
      if (!row || row.isBlacklisted || !row.user.isActive) return refuse();
      if (isRevoked({ iat: session.issuedMs / 1000 }, row.user)) return refuse();
      if (!isOfHost && sessionList?.isIdle(row.lastSeenAt)) return refuse();
      return { claims, user: row.user };
    },

    /**
     * Returns what is wrong with a token that does not count, by what it says itself: a claim, or that it is missing, malformed,
     * or ended (or signed by somebody else). For logs.
     */
    faultOf(token: string, resource: Resource): 'missing' | 'malformed' | 'iss' | 'aud' | 'exp' | 'ended' {
      if (token === '') return 'missing';
      const payload = parseToken(token)?.payload;
      if (!payload) return 'malformed';
      if (payload.iss !== config.issuer) return 'iss';
      if (payload.aud !== resource.identifier) return 'aud';
      return Number(payload.exp) * 1000 > clock.now().getTime() ? 'ended' : 'exp';
    },

    /** Ends a token of any resource until it expires. Returns its claims, or null where there was nothing to end. */
    async revoke(token: string): Promise<AccessClaims | null> {
      const claims = await signedClaims(token);
      if (!claims || claims.iss !== config.issuer || claims.exp * 1000 <= clock.now().getTime()) return null;
      const isEnded = await repositories.blacklist.add({ jti: claims.jti, exp: new Date(claims.exp * 1000) });
      return isEnded ? claims : null;
    },

    /**
     * Returns what `check` returned, where that admits the person.
     * @throws {GatehouseError} unauthenticated, mfa_enrolment_required
     */
    async admit(valid: ValidToken | null): Promise<ValidToken> {
      if (!valid) throw new GatehouseError('unauthenticated', { detail: say('error_access_token_invalid') });
      if (await factors.isRestricted(valid.user)) throw new GatehouseError('mfa_enrolment_required');
      return valid;
    },

    /** Returns whether the policy asks the person for a factor that there is not yet (CONTRACT §9.4). */
    isRestricted: ({ user }: ValidToken): Promise<boolean> => factors.isRestricted(user),
  };
}
