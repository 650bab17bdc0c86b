import { type Schedule, scheduleOnTimer, withinTime } from '../clock.ts';
import type { NodeUser, UserViews } from '../contract/views/account.ts';
import { type ConfigProblem, type ErrorCode, GatehouseError, Refusal } from '../errors.ts';
import type { By, SignInMethod } from '../events.ts';
import type { Logger } from '../logger.ts';
import { isPlainObject } from '../plain-object.ts';
import type { User } from '../tables/user.ts';

/** The questions to the hooks of a host, each with its one argument (CONTRACT §15.4). */
export interface HookArguments {
  /** A user comes to be by himself: by registration, or by a sign-up with the identity provider of this name. */
  beforeRegister: {
    email: string;
    fullName: string | null;
    /** The own fields that were given (CONTRACT §15.2). */
    fields: Record<string, unknown>;
    provider?: string;
  };
  /** A session is to be issued; everything that is required was proved. */
  beforeSignIn: { user: NodeUser; method: SignInMethod };
  /** A new address was requested; it is not confirmed yet. */
  beforeEmailChange: { user: NodeUser; newEmail: string };
  /** An account is to be deleted. */
  beforeDelete: { user: NodeUser; by: By };
}

export type HookName = keyof HookArguments;

/**
 * Functions of a host that are awaited before anything is stored or sent. One that throws a `Refusal` refuses; one that
 * throws anything else, or takes more than two seconds, refuses with 503 `unavailable`. Its result has no meaning.
 */
export type Hooks = { [H in HookName]?: ((argument: HookArguments[H]) => unknown) | undefined };

export type HookRunner = ReturnType<typeof createHooks>;

const hookNames = Object.keys({
  beforeRegister: true,
  beforeSignIn: true,
  beforeEmailChange: true,
  beforeDelete: true,
} satisfies Record<HookName, true>);

/** How long a hook may take, in milliseconds (CONTRACT §15.4). */
const longestMs = 2000;

/** Returns what is wrong with the hooks of a host: a misspelt one would allow what it was written to refuse. */
export function problemsOfHooks(hooks: unknown = {}): ConfigProblem[] {
  const source = 'arguments';
  if (!isPlainObject(hooks)) {
    return [{ source, key: 'hooks', message: 'must be an object of functions' }];
  }
  return Object.entries(hooks).flatMap(([name, hook]) => {
    const key = `hooks.${name}`;
    if (!hookNames.includes(name)) {
      return [{ source, key, message: `There is no such hook. The hooks are: ${hookNames.join(', ')}.` }];
    }
    const isOne = hook === undefined || typeof hook === 'function';
    return isOne ? [] : [{ source, key, message: 'must be a function' }];
  });
}

interface Parts {
  /** Absent for a host without hooks, and on the command line. */
  hooks?: Hooks | undefined;
  logger: Logger;
  schedule?: Schedule | undefined;
  views: UserViews;
}

/** The one place where hooks of the host are called. */
export function createHooks({ hooks = {}, logger, schedule = scheduleOnTimer, views }: Parts) {
  const { toNodeUser } = views;

  /** @throws {GatehouseError} refused_by_host, unavailable */
  async function ask<H extends HookName>(name: H, argument: () => HookArguments[H]): Promise<void> {
    const hook = hooks[name];
    if (!hook) return;
    const answer = async () => hook(argument());
    try {
      await withinTime(schedule, longestMs, answer, () => {
        throw new Error(`it took more than ${longestMs} ms`);
      });
    } catch (err) {
      if (err instanceof Refusal) {
        throw new GatehouseError('refused_by_host', { detail: err.message ? err.reason : undefined });
      }
      logger.error({ hook: name, err }, 'a hook failed, so what it was asked about is refused');
      const cause = new Error(`the hook ${name} failed`, { cause: err });
      throw new GatehouseError('unavailable', { retryAfterSeconds: 1, cause });
    }
  }

  return {
    /** Returns the codes of an operation that asks this hook, for its definition: none where the host has no such hook. */
    codesOf: (name: HookName): ErrorCode[] => (hooks[name] ? ['refused_by_host'] : []),

    /**
     * Asked before it is looked up whether the address has an account, so that the answer does not reveal it (account
     * enumeration).
     * @throws {GatehouseError} refused_by_host, unavailable
     */
    beforeRegister: (registering: HookArguments['beforeRegister']) =>
      ask('beforeRegister', () => ({ ...registering })),

    /** @throws {GatehouseError} refused_by_host, unavailable */
    beforeSignIn: (user: User, method: SignInMethod) =>
      ask('beforeSignIn', () => ({ user: toNodeUser(user), method })),

    /** @throws {GatehouseError} refused_by_host, unavailable */
    beforeEmailChange: (user: User, newEmail: string) =>
      ask('beforeEmailChange', () => ({ user: toNodeUser(user), newEmail })),

    /** @throws {GatehouseError} refused_by_host, unavailable */
    beforeDelete: (user: User, by: By) => ask('beforeDelete', () => ({ user: toNodeUser(user), by })),
  };
}
