import type { User } from './generated/views.ts';

/** The type of an own field, as the configuration of the server has it. */
export type FieldType = 'string' | 'number' | 'boolean' | 'date';

/** The additions of the server's configuration to every user: fields by their names as they are written there, and roles. */
export interface OwnData {
  userFields: Readonly<Record<string, FieldType>>;
  roles: readonly string[];
}

/** Of a client that was told of none. */
export interface NoOwnData {
  userFields: Readonly<Record<never, never>>;
  roles: readonly [];
}

interface Values {
  string: string;
  number: number;
  boolean: boolean;
  /** `2026-01-31` */
  date: string;
}

/** The values of the own fields; null where there is none. */
export type FieldsOf<Own extends OwnData> = {
  -readonly [Name in keyof Own['userFields']]: Values[Own['userFields'][Name]] | null;
};

/** A user, with the own fields and the roles that the client was told of. */
export type UserOf<Own extends OwnData, Base = User> = Base &
  ([keyof Own['userFields']] extends [never] ? unknown : { fields: FieldsOf<Own> }) &
  (Own['roles'] extends readonly [] ? unknown : { roles: Own['roles'][number][] });

/** The own data that operations take. */
interface OwnInputs<Own extends OwnData> {
  /** Fields that are absent stay as they are; null clears one. */
  fields: Partial<FieldsOf<Own>>;
  /** The roles that the account then has. */
  roles: readonly Own['roles'][number][];
  /** Accounts with this role only. */
  role: Own['roles'][number];
}

/** The members of an input that are there because of own data. */
export type OwnInput<Own extends OwnData, Names extends keyof OwnInputs<Own>> = {
  [Name in Names]?: OwnInputs<Own>[Name] | null | undefined;
};
