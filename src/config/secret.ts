import { inspect } from 'node:util';

/** A value that no log, no JSON and no error message shows; only `reveal()` returns it. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return '[secret]';
  }

  toJSON(): string {
    return '[secret]';
  }

  [inspect.custom](): string {
    return '[secret]';
  }
}

/** A secret text that was parsed; the result is as secret as the text, and only `parsed()` returns it. */
export class ParsedSecret<T> extends Secret {
  readonly #parsed: T;

  constructor(value: string, parsed: T) {
    super(value);
    this.#parsed = parsed;
  }

  parsed(): T {
    return this.#parsed;
  }

  /** Returns the same text with another result of parsing it. */
  with(change: (parsed: T) => T): ParsedSecret<T> {
    return new ParsedSecret(this.reveal(), change(this.#parsed));
  }
}
