import type { Disownable } from '../events.ts';
import type { IsKnownPlace } from '../limits/lockout.ts';
import type { User } from '../tables/user.ts';
import type { Caller } from './caller.ts';
import type { KeyHolder } from './session.ts';

/** Work of features at acts of the core. Where it fails, the act fails. */
export interface LifeCycleHooks {
  /**
   * Runs at each sign-in, before its session is listed; a session that is merely renewed is none. `user` is the account as it
   * was read before the sign-in.
   */
  sessionStarting?: (user: User, caller: Caller) => Promise<void>;
  /**
   * Returns whether a user has lately signed in from the place of a caller. Nobody (null) has, after the same work (account
   * enumeration).
   */
  isKnownPlace?: IsKnownPlace;
  /** Runs after another password was stored, before the act is answered. */
  passwordChanged?: (userId: string) => Promise<void>;
  /** Returns the link with which an owner reports an act that an email tells of, or null for none. */
  reportLink?: (user: Pick<User, 'id' | 'email'>, about: Disownable) => Promise<string | null>;
  /**
   * Returns who sends a key of the feature, or null where what the caller sends is none.
   * @throws {GatehouseError} unauthenticated, for a key that does not count
   */
  keyHolderOf?: (caller: Caller) => Promise<KeyHolder | null>;
}

/** The hooks of an instance: none until its features are open, and from the first request on those of each. */
export class LifeCycle {
  #starting: NonNullable<LifeCycleHooks['sessionStarting']>[] = [];
  #changed: NonNullable<LifeCycleHooks['passwordChanged']>[] = [];
  #reportLink: LifeCycleHooks['reportLink'];
  #isKnownPlace: LifeCycleHooks['isKnownPlace'];
  #keyHolderOf: LifeCycleHooks['keyHolderOf'];

  /** Has these hooks called from now on. */
  use(features: readonly LifeCycleHooks[]): void {
    this.#starting = features.flatMap(({ sessionStarting }) => sessionStarting ?? []);
    this.#changed = features.flatMap(({ passwordChanged }) => passwordChanged ?? []);
    this.#reportLink = features.find(({ reportLink }) => reportLink)?.reportLink;
    this.#isKnownPlace = features.find(({ isKnownPlace }) => isKnownPlace)?.isKnownPlace;
    this.#keyHolderOf = features.find(({ keyHolderOf }) => keyHolderOf)?.keyHolderOf;
  }

  /** Tells known places; absent where the lockout spares none. */
  get isKnownPlace(): IsKnownPlace | undefined {
    return this.#isKnownPlace;
  }

  /** Finds the holders of keys; absent while there are no keys. */
  get keyHolderOf(): LifeCycleHooks['keyHolderOf'] {
    return this.#keyHolderOf;
  }

  async sessionStarting(user: User, caller: Caller): Promise<void> {
    for (const hook of this.#starting) await hook(user, caller);
  }

  async passwordChanged(userId: string): Promise<void> {
    for (const hook of this.#changed) await hook(userId);
  }

  async reportLink(user: Pick<User, 'id' | 'email'>, about: Disownable): Promise<string | null> {
    return (await this.#reportLink?.(user, about)) ?? null;
  }
}
