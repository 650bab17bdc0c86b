import { z } from 'zod';
import {
  type FieldValue,
  type FieldValues,
  type GivenRoles,
  type Level,
  type OwnData,
  type OwnField,
  reaches,
} from '../own-fields.ts';
import { displayed } from './fields.ts';
import { field, refused } from './refused.ts';

/** Fields as they were given: a name that is absent stays as it is, null clears. */
type Given = FieldValues | null | undefined;

/** The parts of an input that a configuration adds; absent where it adds none. */
export type OwnInputs<Names extends 'fields' | 'roles'> = Pick<
  { fields: z.ZodType<Given>; roles: z.ZodType<GivenRoles | null | undefined> },
  Names
>;

/** Returns the schema of a value; a text of nothing but spaces is none. */
function valueSchemaOf({ type, label, maxLength }: OwnField): z.ZodType<FieldValue | null> {
  switch (type) {
    case 'string':
      return displayed
        .meta({ maxLength, examples: ['text'] })
        .transform(text => text.trim())
        .refine(text => [...text].length <= maxLength, refused('too_long', { most: maxLength }))
        .transform(text => text || null)
        .describe(`${label}: at most ${maxLength} characters.`);
    case 'number':
      return (
        z
          .number()
          .meta({ scalar: 'Float', examples: [1] })
          // Minus zero is stored as zero, because not every database knows it.
          .transform(number => number + 0)
          .describe(`${label}.`)
      );
    case 'boolean':
      return z.boolean().describe(`${label}.`);
    case 'date':
      return z.iso
        .date(field('date'))
        .meta({ examples: ['2026-01-31'] })
        .describe(`${label}: a date such as 2026-01-31.`);
  }
}

/** Where fields are given: `required` binds a registration, and a change that would clear the field. */
type Occasion = 'registration' | 'creation' | 'change';

function fieldOf(own: OwnField, occasion: Occasion): z.ZodType<FieldValue | null | undefined> {
  const value = valueSchemaOf(own);
  const { description = '' } = value.meta() ?? {};
  if (occasion === 'registration' && own.required)
    return value.refine(given => given !== null, field('required')).describe(description);
  if (occasion !== 'change') return value.nullish().describe(description);
  if (!own.required) return value.nullish().describe(`${description} Null clears it.`);
  return value
    .nullish()
    .refine(given => given !== null, field('required__kept'))
    .describe(`${description} Cannot be cleared.`);
}

/** Returns the fields that somebody of this level can set. */
const editable = ({ userFields }: OwnData, level: Level) =>
  Object.entries(userFields).filter(([, field]) => reaches(level, field.editableBy));

/** The name of the type in GraphQL. */
const typeNames = {
  registration: () => 'RegisterFieldsInput',
  creation: () => 'NewUserFieldsInput',
  change: (level: Level) => (level === 'user' ? 'UserFieldsInput' : 'AdminUserFieldsInput'),
} satisfies Record<Occasion, (level: Level) => string>;

function fieldsInput(own: OwnData, level: Level, occasion: Occasion) {
  const fields = editable(own, level);
  if (fields.length === 0) return {} as OwnInputs<'fields'>;
  const schema = z
    .strictObject(Object.fromEntries(fields.map(([name, field]) => [name, fieldOf(field, occasion)])))
    .meta({ graphql: typeNames[occasion](level) });
  const isRequired = occasion === 'registration' && fields.some(([, { required }]) => required);
  const rest = occasion === 'change' ? '; those that are absent stay as they are.' : '.';
  const described = (isRequired ? schema : schema.nullish()).describe(
    `The own fields of this application${rest}`,
  );
  return { fields: described } as unknown as OwnInputs<'fields'>;
}

/** Returns what a registration takes of the own fields; what is required must be there. */
export const fieldsOfRegistration = (own: OwnData) => fieldsInput(own, 'user', 'registration');

/** Returns what a change takes of the own fields, by somebody of this level. */
export const fieldsOfChange = (own: OwnData, level: Level) => fieldsInput(own, level, 'change');

/** Returns what is taken of the own fields where somebody of this level makes an account for another person. */
export const fieldsOfNewAccount = (own: OwnData, level: Level) => fieldsInput(own, level, 'creation');

export const roleOf = ({ roles }: OwnData) => z.enum(roles as string[], field('role'));

/** Returns what a change by an administrator or the host takes of the roles. */
export const rolesOfChange = (own: OwnData) =>
  rolesInput(own, 'The roles that the account then has; as they are when absent.');

/** Returns what is taken of the roles where an administrator or the host makes an account. */
export const rolesOfNewAccount = (own: OwnData) =>
  rolesInput(own, 'The roles of the account; none when absent.');

function rolesInput(own: OwnData, description: string): OwnInputs<'roles'> {
  if (own.roles.length === 0) return {} as OwnInputs<'roles'>;
  const roles = z
    .array(roleOf(own))
    .max(own.roles.length, field('roles'))
    .transform(given => ({ known: own.roles, given: [...new Set(given)] }))
    .nullish()
    .describe(description);
  return { roles };
}

/** Returns the filter of the list of users. */
export function roleFilter(own: OwnData): { role: z.ZodType<string | null | undefined> } {
  if (own.roles.length === 0) return {} as ReturnType<typeof roleFilter>;
  return { role: roleOf(own).nullish().describe('Accounts with this role only; all when absent.') };
}
