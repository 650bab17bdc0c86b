import type { HookArguments, HookName, Hooks } from '../../src/domain/hooks.ts';

/** What a hook was asked, as its one argument. */
type Asked = { [H in HookName]: [hook: H, argument: HookArguments[H]] }[HookName];

/** A host that is asked by every hook, and answers as a test says. */
export interface AskedHost {
  hooks: Hooks;
  /** Everything it was asked, oldest first. */
  asked: Asked[];
  /** Resolves when it is asked the next time. */
  whenAsked(): Promise<void>;
  /** Answers from now on; allows everything until then. */
  answer(by: (...asked: Asked) => unknown): void;
  /** Forgets what it was asked, and allows everything again. */
  reset(): void;
}

export function askedHost(): AskedHost {
  const asked: Asked[] = [];
  const allow = () => undefined;
  let by: (...asked: Asked) => unknown = allow;
  let isAsked = Promise.withResolvers<void>();
  const hook =
    <H extends HookName>(name: H) =>
    (argument: HookArguments[H]) => {
      const question = [name, argument] as unknown as Asked;
      asked.push(structuredClone(question));
      isAsked.resolve();
      isAsked = Promise.withResolvers();
      return by(...question);
    };
  return {
    hooks: {
      beforeRegister: hook('beforeRegister'),
      beforeSignIn: hook('beforeSignIn'),
      beforeEmailChange: hook('beforeEmailChange'),
      beforeDelete: hook('beforeDelete'),
    },
    asked,
    whenAsked: () => isAsked.promise,
    answer(answer) {
      by = answer;
    },
    reset() {
      by = allow;
      asked.length = 0;
    },
  };
}
