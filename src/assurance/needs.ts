/** The levels of OWASP ASVS 5.0, and the assurance levels of NIST SP 800-63B-4. */
export const levelNames = ['asvs-1', 'asvs-2', 'asvs-3', 'aal1', 'aal2'] as const;
export type Level = (typeof levelNames)[number];

/** A value as the configuration file has it. */
export type Setting = string | number | boolean;

/** When a value is enough. */
export type Test =
  | { readonly atLeast: number }
  | { readonly atMost: number }
  | { readonly between: readonly [least: number, most: number] }
  | { readonly oneOf: readonly Setting[] }
  | { readonly noneOf: readonly Setting[] }
  /** A list that has no other items. */
  | { readonly within: readonly string[] }
  | { readonly isSet: true };

/** A part that the host gives, and that no setting says. */
export type Fact = 'mailer';

export interface Condition {
  /** The path of a field as the configuration file has it; `*` stands for each name that the configuration chooses. */
  readonly key: string;
  readonly is: Test;
}

/** A condition of a setting, with the values that make it hold or break. */
export interface Need extends Condition {
  /** The value that a profile writes; `{ from }` is the value of another field. */
  readonly write: Setting | { readonly from: string };
  /** Whether `write` is an example, because only the operator knows the value. */
  readonly isExample?: boolean;
  /** A value with which the requirement is not met. */
  readonly breaks: Setting | readonly string[];
  /** It holds as well where the host gives this part. */
  readonly orFact?: Fact;
  /** It matters only while this holds. */
  readonly when?: Condition;
}

/** All of these together are enough. */
export type Way = readonly Need[];

/** The proofs that a requirement is met. */
export interface Shown {
  /** `file: title`, below the folder of tests. */
  readonly tests: readonly `${string}.test.ts: ${string}`[];
  /** `file#heading`. */
  readonly docs?: readonly `docs/${string}.md#${string}`[];
}

export type Verdict =
  /** Does not apply to Gatehouse, and why. */
  | { readonly not: string }
  /** Is met by no configuration, and why. */
  | { readonly unmet: string }
  /** Is met by every configuration. */
  | { readonly always: Shown }
  /** Is met where one of the ways holds. */
  | { readonly needs: readonly Way[]; readonly shown: Shown };

/** One requirement of a standard. Its text is there; here are its id and our own words. */
export interface Requirement {
  readonly id: `asvs/${string}` | `63b/${string}`;
  /** Every level that asks for it. */
  readonly levels: readonly Level[];
  /** Its demand in at most ten words. */
  readonly words: string;
  readonly verdict: Verdict;
  /** It arises while one of these holds; always, where nothing stands here. */
  readonly arises?: readonly Condition[];
  /** It falls on the pages or guards of the host while this does not hold. */
  readonly host?: Need;
}
