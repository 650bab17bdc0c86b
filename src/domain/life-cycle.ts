import type { By, Disownable } from '../events.ts';
import type { IsKnownPlace } from '../limits/lockout.ts';
import type { KeysFate } from '../mail/core-mails.ts';
import type { Trail } from '../observability/watch.ts';
import type { User } from '../tables/user.ts';
import type { Caller } from './caller.ts';
import type { KeyHolder, Session } from './session.ts';

/** Work of features at acts of the core. Where it fails, the act fails. */
export interface LifeCycleHooks {
  /**
   * Runs at each sign-in, before its session is listed; a session that is merely renewed is none. `user` is the account as it
   * was read before the sign-in.
   */
  sessionStarting?: (user: User, caller: Caller) => Promise<void>;
  /**
   * Returns whether a user has lately signed in from the place of a caller. False for null, after the same work
   * (account enumeration).
   */
  isKnownPlace?: IsKnownPlace;
  /** Runs after another password was stored, before the act is answered. */
  passwordChanged?: (user: User) => Promise<void>;
  /**
   * Runs when everything is about to be removed with which somebody may act for an account, after its sessions have ended:
   * so a feature can tell of what it removes. What is left in its tables is removed afterwards.
   */
  credentialsLeaving?: (user: User, by: By) => Promise<void>;
  /** Returns the link with which an owner reports an act that an email tells of, or null for none. */
  reportLink?: (
    user: Pick<User, 'id' | 'email' | 'locale'>,
    about: Disownable,
    at: Date,
  ) => Promise<string | null>;
  /** Its keys. */
  keys?: Keys;
  /** Issues tokens of sessions for the APIs of the configuration. */
  accessTokens?: SessionTokens;
}

/** The keys of a feature, which count in place of a session where an operation takes keys, too. */
export interface Keys {
  /** Returns whether a caller sends what is meant as a key. */
  isSent(caller: Caller): boolean;
  /**
   * Returns who sends a key, or null where what the caller sends is none.
   * @throws {GatehouseError} unauthenticated, for a key that does not count
   */
  holderOf(caller: Caller): Promise<KeyHolder | null>;
  /**
   * Returns the holder of the key of an access token, by one read; null where the token was ended, or the key does not count
   * any more.
   */
  findOfToken(id: string, tokenJti: string): Promise<KeyHolder | null>;
  /** Returns the fate of the keys of an account at a cutoff, to tell the owner; null where there is none. */
  fate(user: User): Promise<KeysFate | null>;
  /**
   * Removes the keys of an account whose password was changed, where `given` asks for that: what was sent with the password of
   * what the feature declares as `newPasswordFields`. Returns their fate as `fate` does.
   */
  passwordChanged(user: User, given: object, trail: Trail): Promise<KeysFate | null>;
}

/** Issues tokens of sessions. */
export interface SessionTokens {
  /** Returns whether sessions may have tokens of the API of this name; its other functions take such names alone. */
  isFor(resource: string): boolean;
  /**
   * Returns a token with every scope of an API, and when it was issued and ends, in milliseconds since 1970.
   * @throws {GatehouseError} recent_sign_in_required, mfa_enrolment_required, where the API asks for more
   */
  issue(resource: string, session: Session): Promise<{ token: string; issuedAt: number; endsAt: number }>;
  /** Returns whether the API of this name would still take a token. */
  counts(resource: string, token: string): Promise<boolean>;
}

/** The hooks of an instance: none until its features are open, and from the first request on those of each. */
export class LifeCycle {
  #starting: NonNullable<LifeCycleHooks['sessionStarting']>[] = [];
  #changed: NonNullable<LifeCycleHooks['passwordChanged']>[] = [];
  #leaving: NonNullable<LifeCycleHooks['credentialsLeaving']>[] = [];
  #reportLink: LifeCycleHooks['reportLink'];
  /** Tells known places; absent where the lockout spares none. */
  isKnownPlace: IsKnownPlace | undefined;
  /** Absent while there are no keys. */
  keys: Keys | undefined;
  /** Issues tokens of sessions; absent while there are no access tokens. */
  accessTokens: SessionTokens | undefined;

  /** Has these hooks called from now on. */
  use(features: readonly LifeCycleHooks[]): void {
    this.#starting = features.flatMap(({ sessionStarting }) => sessionStarting ?? []);
    this.#changed = features.flatMap(({ passwordChanged }) => passwordChanged ?? []);
    this.#reportLink = features.find(({ reportLink }) => reportLink)?.reportLink;
    this.isKnownPlace = features.find(({ isKnownPlace }) => isKnownPlace)?.isKnownPlace;
    this.#leaving = features.flatMap(({ credentialsLeaving }) => credentialsLeaving ?? []);
    this.keys = features.find(({ keys }) => keys)?.keys;
    this.accessTokens = features.find(({ accessTokens }) => accessTokens)?.accessTokens;
  }

  /** Returns what an email about a cutoff tells of the keys of an account; null for nothing. */
  async keysFate(user: User): Promise<KeysFate | null> {
    return (await this.keys?.fate(user)) ?? null;
  }

  async sessionStarting(user: User, caller: Caller): Promise<void> {
    for (const hook of this.#starting) await hook(user, caller);
  }

  /** Returns what the email about it tells of the keys of the account; null for nothing. */
  async passwordChanged(user: User, given: object, trail: Trail): Promise<KeysFate | null> {
    for (const hook of this.#changed) await hook(user);
    return (await this.keys?.passwordChanged(user, given, trail)) ?? null;
  }

  async credentialsLeaving(user: User, by: By): Promise<void> {
    for (const hook of this.#leaving) await hook(user, by);
  }

  async reportLink(
    user: Pick<User, 'id' | 'email' | 'locale'>,
    about: Disownable,
    at: Date,
  ): Promise<string | null> {
    return (await this.#reportLink?.(user, about, at)) ?? null;
  }
}
