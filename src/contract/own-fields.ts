import type { ByLanguage } from '../words/by-language.ts';

/** Who sees or sets a field. Each includes those before it: an administrator sees what a user sees. */
export type Level = 'user' | 'admin' | 'host';

/** A field that the host has added to every user (`[user_fields.NAME]`). */
export interface OwnField {
  type: 'string' | 'number' | 'boolean' | 'date';
  /** In the default language. */
  label: string;
  /** In each language where the configuration has a table. */
  labels?: ByLanguage;
  required: boolean;
  maxLength: number;
  editableBy: Level;
  visibleTo: Level;
}

/** The fields and roles that a configuration adds to every user. */
export interface OwnData {
  userFields: Readonly<Record<string, OwnField>>;
  roles: readonly string[];
  /** The languages that people can choose; one when absent. */
  locales?: readonly string[];
}

export type FieldValue = string | number | boolean;

/** Own fields by their names; null where there is no value. */
export type FieldValues = Record<string, FieldValue | null>;

/** The roles that somebody may give, and those of them that were given. */
export interface GivenRoles {
  known: readonly string[];
  given: readonly string[];
}

const levels: readonly Level[] = ['user', 'admin', 'host'];

/** Returns whether somebody of this level can do what needs that level. */
export const reaches = (level: Level, needed: Level) => levels.indexOf(level) >= levels.indexOf(needed);
