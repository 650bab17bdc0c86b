import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../config/schema.ts';
import { contentionError, GatehouseError } from '../errors.ts';
import type { LoginAttempt } from '../tables/login-attempt.ts';
import type { User } from '../tables/user.ts';
import type { SlidingCounts, WindowLimit } from './sliding-count.ts';

export type Lockout = ReturnType<typeof createLockout>;

/** Returns whether a user has lately signed in from there; false for no user (null), after the same work. */
export type IsKnownPlace = (
  userId: string | null,
  from: { ip: string | null; userAgent?: string | undefined },
) => Promise<boolean>;

/**
 * The secret that is guessed (brute force). Each kind has a count of its own; so have the guesses from known places, where the
 * lockout spares those (CONTRACT §9.6).
 */
export type Guess =
  | { login: string; isFromKnownPlace?: boolean }
  | { currentPassword: string }
  | { code: string };

/**
 * Returns the subject that a guess counts towards. Email addresses contain no colon, so they never collide with the
 * subjects of users.
 */
function subjectOf(guess: Guess): string {
  if ('login' in guess) return guess.isFromKnownPlace ? `${knownPlaces}${guess.login}` : guess.login;
  return 'code' in guess ? `code:${guess.code}` : `password:${guess.currentPassword}`;
}

/** Before the address, in the subject of guesses from known places. */
export const knownPlaces = 'known:';

/** Returns the address that the guesses of this subject are made at; null where they are at another secret. */
export function addressOf(subject: string): string | null {
  const address = subject.startsWith(knownPlaces) ? subject.slice(knownPlaces.length) : subject;
  return address.includes(':') ? null : address;
}

/**
 * How long a guess waits for slots that are held by right guesses, in milliseconds. With the rest of the request it stays
 * below the three seconds after which every request is refused (CONTRACT §4.5).
 */
const longestWaitMs = 2500;

/** A guess at a secret that is not locked. */
export interface OpenGuess {
  /**
   * Decides the guess after it was checked, right or wrong, in one step: it takes a slot or is refused, so parallel
   * guesses never get more responses than there are slots. A wrong guess keeps its slot. A right guess releases it with
   * the returned function. While slots are held only by right guesses, other guesses wait. A refused guess is not
   * recorded, so refusals do not prolong the lockout.
   * @throws {GatehouseError} account_locked; unavailable, when it would wait too long for right guesses
   */
  decide(isRight: boolean, ip: string | null): Promise<() => Promise<void>>;
}

/** An open guess at the password of an address. */
export interface OpenSignIn extends OpenGuess {
  isFromKnownPlace: boolean;
}

/** The lockouts of one user, in seconds until each ends. */
export interface LockedSeconds {
  login: number;
  currentPassword: number;
  code: number;
}

/** How many attempts the lockout refused, per kind of secret. */
export type Refusals = Record<'login' | 'current_password' | 'code', number>;

export const createRefusals = (): Refusals => ({ login: 0, current_password: 0, code: 0 });

/** Lockout: limits how often a secret can be guessed (brute force; SPEC §5.5, CONTRACT §4.4). */
export function createLockout(
  counts: SlidingCounts,
  config: Config,
  places: { readonly isKnownPlace: IsKnownPlace | undefined },
  refusals: Refusals = createRefusals(),
) {
  const windowSeconds = config.loginLockoutWindowSeconds;
  // Twice the attempts of one code: signing in again sends a new code, and must not grant new guesses without end.
  const ofCodes: WindowLimit = { limit: 2 * config.smsCodeMaxAttempts, windowSeconds };
  const ofPasswords: WindowLimit = { limit: config.loginLockoutThreshold, windowSeconds };
  const boundOf = (guess: Guess) => ('code' in guess ? ofCodes : ofPasswords);
  const isOff = config.rateLimitDisabled || config.limitsDisabled;

  function lockedError(guess: Guess, retryAfterSeconds: number): GatehouseError {
    refusals['code' in guess ? 'code' : 'currentPassword' in guess ? 'current_password' : 'login']++;
    return new GatehouseError('account_locked', { retryAfterSeconds });
  }

  const readCapacity = (guess: Guess, stored?: LoginAttempt[]) =>
    counts.readCapacity(subjectOf(guess), boundOf(guess), stored);

  /** Returns the counts of guesses at the password of this address. */
  const loginsOf = (login: string): Guess[] =>
    places.isKnownPlace ? [{ login }, { login, isFromKnownPlace: true }] : [{ login }];

  /**
   * Opens a guess, before the secret is checked. The returned guess is decided with the result of the check.
   * @param stored the slots of its subject, where they have just been read
   * @throws {GatehouseError} account_locked
   */
  async function open(guess: Guess, stored?: LoginAttempt[]): Promise<OpenGuess> {
    if (isOff) return { decide: async () => async () => {} };
    const room = await readCapacity(guess, stored);
    if (room.secondsUntilFree > 0) throw lockedError(guess, room.secondsUntilFree);

    return {
      async decide(isRight, ip) {
        const until = performance.now() + longestWaitMs;
        for (let seen = room; ; seen = await readCapacity(guess)) {
          const taken = await seen.reserve({ ip, settled: !isRight });
          if (typeof taken === 'object') return isRight ? () => counts.release(taken) : async () => {};
          if (taken === 'full') break;
          // Nothing is locked: right guesses hold the slots.
          if (performance.now() > until) throw contentionError();
          await sleep(5 + Math.random() * 20);
        }
        throw lockedError(guess, (await readCapacity(guess)).secondsUntilFree || 1);
      },
    };
  }

  return {
    /** The limit of sign-ins with a password. */
    ofLogins: ofPasswords,
    isOff,

    /** Returns the subjects of guesses at the passwords of these addresses. */
    subjectsOf: (addresses: readonly string[]) => addresses.flatMap(loginsOf).map(subjectOf),

    open,

    /**
     * As `open`, of a guess at the password of an address. Where known places are spared, one of them has slots of its own,
     * and every address costs the same reads (account enumeration).
     * @param stored the slots of the address, which have just been read
     * @throws {GatehouseError} account_locked
     */
    async openSignIn(
      login: string,
      userId: string | null,
      from: Parameters<IsKnownPlace>[1],
      stored: LoginAttempt[],
    ): Promise<OpenSignIn> {
      if (isOff || !places.isKnownPlace)
        return { ...(await open({ login }, stored)), isFromKnownPlace: false };
      const known: Guess = { login, isFromKnownPlace: true };
      const [isFromKnownPlace, slots] = await Promise.all([
        places.isKnownPlace(userId, from),
        counts.list(subjectOf(known)),
      ]);
      const guess = await (isFromKnownPlace ? open(known, slots) : open({ login }, stored));
      return { ...guess, isFromKnownPlace };
    },

    /** Returns whether the lockout spares this user's sign-ins from there. */
    spares: async (userId: string, from: Parameters<IsKnownPlace>[1]): Promise<boolean> =>
      !isOff && ((await places.isKnownPlace?.(userId, from)) ?? false),

    /** Returns for how many more seconds each kind of guess at this user's secrets is refused; 0 where none is. */
    async readLockedSeconds({ id, email }: Pick<User, 'id' | 'email'>): Promise<LockedSeconds> {
      const secondsOf = async (...guesses: Guess[]) => {
        if (isOff) return 0;
        const rooms = await Promise.all(guesses.map(guess => readCapacity(guess)));
        return Math.max(...rooms.map(({ secondsUntilFree }) => secondsUntilFree));
      };
      const [login, currentPassword, code] = await Promise.all([
        secondsOf(...loginsOf(email)),
        secondsOf({ currentPassword: id }),
        secondsOf({ code: id }),
      ]);
      return { login, currentPassword, code };
    },

    /** Clears the failed logins with this address, including slots that are held. */
    clearLogin: (email: string) => clear(loginsOf(email)),

    /** Clears the guesses at the current password, after the right one was given. */
    clearCurrentPassword: (userId: string) => clear([{ currentPassword: userId }]),

    /** Clears the guesses at this user's password, after it was replaced. */
    clearPassword: ({ id, email }: Pick<User, 'id' | 'email'>) =>
      clear([...loginsOf(email), { currentPassword: id }]),

    /**
     * Clears the guesses of signing in, including slots that are held, after a session was issued; those at codes only after
     * a second step, because set-ups count there, too. The guesses at the current password stay: they are made in a session.
     * A sign-in from a known place clears those from known places alone: a stranger gets no further guesses by it.
     */
    clearSignIn: (
      { id, email }: Pick<User, 'id' | 'email'>,
      { hadSecondStep, isFromKnownPlace }: { hadSecondStep: boolean; isFromKnownPlace: boolean },
    ) =>
      clear([
        ...(isFromKnownPlace ? [{ login: email, isFromKnownPlace }] : loginsOf(email)),
        ...(hadSecondStep ? [{ code: id }] : []),
      ]),

    /** Clears every count of this user, after an operator has unlocked the account. */
    clearUser: ({ id, email }: Pick<User, 'id' | 'email'>) =>
      clear([...loginsOf(email), { currentPassword: id }, { code: id }]),
  };

  async function clear(guesses: Guess[]): Promise<void> {
    await counts.clear(...guesses.map(subjectOf));
  }
}
