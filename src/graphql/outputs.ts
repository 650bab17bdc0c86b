import type { OutputType } from '@pothos/core';
import type { z } from 'zod';
import { PendingRegistrationView } from '../contract/views/admin.ts';
import { OAuthMfaView } from '../contract/views/oauth.ts';
import { MfaChallengeView, PendingView } from '../contract/views/sign-in.ts';
import { choicesOf, fieldsOf, itemOf, literalOf, shapeOf, wordsOf } from '../zod-shape.ts';
import type { Builder } from './builder.ts';
import { readFromParent } from './completion.ts';
import { camelCase } from './names.ts';

/** A type of an output field, as Pothos takes it. */
export type Output = OutputType<Builder['$inferSchemaTypes']>;

/** The result of an operation; its fields are those of its output schema. */
type View = Record<string, never>;

/** Views that share one type in GraphQL: a field that one of them lacks is nullable. */
const variants: Record<string, readonly z.ZodType[]> = {
  PendingRegistration: [PendingView, PendingRegistrationView],
  MfaChallenge: [MfaChallengeView, OAuthMfaView],
};

/**
 * Fields that are nullable although the view always has them: in a union, a field of one name must have one type
 * (GraphQL §5.3.2), and `MfaChallenge` lacks them after a sign-in with a password.
 */
const nullableForUnions = new Set(['OAuthSession.redirectTo', 'OAuthSession.wasNewAccount']);

export type Outputs = ReturnType<typeof createOutputs>;

/** Makes the output types of a schema from the output schemas of its operations, each once. */
export function createOutputs(builder: Builder) {
  const made = new Map<string, Output>();

  function once(name: string, make: () => Output): Output {
    const known = made.get(name);
    if (known) return known;
    const type = make();
    made.set(name, type);
    return type;
  }

  /** Returns the type of one value: a scalar, a list, an object or a union of objects, which gets the given name. */
  function typeOf(schema: z.core.$ZodType, unionName = ''): Output | [Output] {
    const { type, meta } = shapeOf(schema);
    const listed = listedOf(schema);
    if (listed) return [typeOf(listed) as Output];
    if (fieldsOf(schema)) return objectType(schema);
    const item = itemOf(schema);
    if (item) return [typeOf(item) as Output];
    switch (type) {
      case 'boolean':
        return 'Boolean';
      case 'number':
        return meta.scalar ?? 'Int';
      case 'union':
        return unionType(unionName, choicesOf(schema));
      case 'enum':
      case 'literal':
        return enumType(schema);
      default:
        return meta.scalar ?? 'String';
    }
  }

  /** Words without a name stay texts: those that a configuration chooses, and `tokenType`, which RFC 6750 writes in any case. */
  function enumType(schema: z.core.$ZodType): Output {
    const { meta } = shapeOf(schema);
    const name = meta.graphql ?? meta.id;
    if (name === undefined) return 'String';
    const { description, values: described = {} } = meta;
    const values = Object.fromEntries(wordsOf(schema).map(word => [word, { description: described[word] }]));
    return once(name, () => builder.enumType(name, { description, values }));
  }

  function objectType(schema: z.core.$ZodType): Output {
    const { meta } = shapeOf(schema);
    const name = typeName(schema);
    return once(name, () => {
      const fuller = meta.fuller as z.ZodType | undefined;
      const views = variants[name] ?? (fuller ? [schema, fuller] : [schema]);
      const shapes = views.map(view => fieldsOf(view)!);
      const fields = Object.assign({}, ...shapes) as Record<string, z.ZodType>;
      return builder.objectRef<View>(name).implement({
        description: meta.description,
        fields: t =>
          Object.fromEntries(
            Object.entries(fields).map(([key, field]) => {
              const { isNullable, isOptional, meta } = shapeOf(field);
              const literal = literalOf(field);
              const isEverywhere = shapes.every(shape => key in shape);
              const nullable =
                isNullable ||
                isOptional ||
                (!isEverywhere && literal === undefined) ||
                nullableForUnions.has(`${name}.${camelCase(key)}`);
              return [
                camelCase(key),
                t.field({
                  type: typeOf(field) as 'String',
                  nullable,
                  description: meta.description,
                  extensions: {
                    ...readFromParent,
                    isOfAdministration: fuller !== undefined && !(key in shapes[0]!),
                  },
                  // A host's own name may be one that every object has.
                  resolve: view =>
                    (Object.hasOwn(view, key) ? view[key] : undefined) ?? (literal as never) ?? null,
                }),
              ];
            }),
          ),
      });
    });
  }

  function unionType(name: string, choices: readonly z.core.$ZodType[]): Output {
    return once(name, () =>
      builder.unionType(name, {
        description: `One of: ${choices.map(choice => typeName(choice)).join(', ')}.`,
        types: choices.map(choice => objectType(choice) as never),
        // The views of a union have different fields.
        resolveType: view => {
          const fits = (choice: z.core.$ZodType) =>
            Object.entries(fieldsOf(choice)!).every(
              ([key, field]) => shapeOf(field).isOptional || key in view,
            );
          return typeName(choices.find(fits)!);
        },
      }),
    );
  }

  return { typeOf };
}

/** Returns what a view lists that is a list itself in GraphQL, and in REST an object with `items`; undefined for any other. */
export const listedOf = (schema: z.core.$ZodType): z.core.$ZodType | undefined =>
  shapeOf(schema).meta.isList ? itemOf(fieldsOf(schema)!.items!) : undefined;

/** Returns the name of a view in GraphQL. @throws {TypeError} for a view that has no name */
export function typeName(schema: z.core.$ZodType): string {
  const { graphql, id } = shapeOf(schema).meta;
  const name = graphql ?? id;
  if (name === undefined) throw new TypeError('An output schema needs a name: meta({ id }).');
  return name;
}
