import { z } from 'zod';
import type { User } from '../../tables/user.ts';
import {
  type FieldValue,
  type FieldValues,
  type Level,
  type OwnData,
  type OwnField,
  reaches,
} from '../own-fields.ts';

/** The members that a configuration adds to `UserPublic`; absent where it adds none. */
export interface OwnView {
  locale?: string | null;
  fields?: FieldValues;
  roles?: string[];
}

const isDate = z.iso.date();

/** Returns whether a stored value still fits the type, which the configuration may have changed. */
const fits: Record<OwnField['type'], (stored: unknown) => boolean> = {
  string: stored => typeof stored === 'string',
  number: stored => typeof stored === 'number',
  boolean: stored => typeof stored === 'boolean',
  date: stored => isDate.safeParse(stored).success,
};

const visible = ({ userFields }: OwnData, level: Level) =>
  Object.entries(userFields).filter(([, field]) => reaches(level, field.visibleTo));

function schemaOf({ type, label, visibleTo }: OwnField): z.ZodType {
  const value = {
    string: () => z.string().meta({ examples: ['text'] }),
    number: () => z.number().meta({ scalar: 'Float', examples: [1] }),
    boolean: () => z.boolean(),
    date: () => z.iso.date().meta({ examples: ['2026-01-31'] }),
  }
    [type]()
    .nullable();
  if (visibleTo === 'user') return value.describe(`${label}; null when there is none.`);
  return value.optional().describe(`${label}; null when there is none. Shown to administrators only.`);
}

/** Returns the schemas of what is added. Fields for the host alone are in none. */
export function ownViewSchemas(own: OwnData): { locale?: z.ZodType; fields?: z.ZodType; roles?: z.ZodType } {
  const { locales = [] } = own;
  const shown = visible(own, 'admin');
  const fields = z
    .object(Object.fromEntries(shown.map(([name, field]) => [name, schemaOf(field)])))
    .meta({ id: 'UserFields', description: 'The own fields of this application that the caller may see.' });
  return {
    ...(locales.length > 1 && {
      locale: z
        .string()
        .nullable()
        .describe('The language of emails and text messages; null for the default one.')
        .meta({ examples: [locales[0]] }),
    }),
    ...(shown.length > 0 && { fields }),
    ...(own.roles.length > 0 && {
      roles: z.array(z.enum(own.roles as string[])).describe('The roles that the account has.'),
    }),
  };
}

/** Returns a function that reads from a stored user what somebody of a level sees of the own fields and the roles. */
export function createOwnView(own: OwnData): (user: User, level: Level) => OwnView {
  const { locales = [] } = own;
  const shownTo = {
    user: visible(own, 'user'),
    admin: visible(own, 'admin'),
    host: visible(own, 'host'),
  };
  const hasFields = (level: Level) => shownTo[level === 'host' ? 'host' : 'admin'].length > 0;

  function readValue(stored: Record<string, unknown> | null, [name, { type }]: [string, OwnField]) {
    if (stored === null || !Object.hasOwn(stored, name) || !fits[type](stored[name])) return null;
    return stored[name] as FieldValue;
  }

  return ({ locale, fields, roles }, level) => ({
    ...(locales.length > 1 && { locale: locale !== null && locales.includes(locale) ? locale : null }),
    ...(hasFields(level) && {
      fields: Object.fromEntries(shownTo[level].map(field => [field[0], readValue(fields, field)])),
    }),
    ...(own.roles.length > 0 && { roles: own.roles.filter(role => roles?.includes(role)) }),
  });
}
