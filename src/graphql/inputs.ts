import type { InputObjectRef } from '@pothos/core';
import type { z } from 'zod';
import type { OperationSpec } from '../domain/operation.ts';
import { fieldsOf, itemOf, shapeOf } from '../zod-shape.ts';
import type { Builder } from './builder.ts';
import { camelCase, capitalized } from './names.ts';

const scalars: Partial<Record<string, 'Boolean' | 'Int'>> = { boolean: 'Boolean', number: 'Int' };

/** The GraphQL description of one input field. */
export interface InputField {
  /** A scalar, or the name and the fields of an object. */
  type: Scalar | { name: string; description: string; fields: Record<string, InputField> };
  isList: boolean;
  required: boolean;
  description: string | undefined;
}

type Scalar = 'Boolean' | 'Int' | 'Float' | 'String' | 'ID' | 'DateTime' | 'JSON';

/** Returns the fields of an operation's input, in camelCase. */
export const inputFields = ({ input }: Pick<OperationSpec, 'input'>): Record<string, InputField> =>
  fieldsIn(input);

const fieldsIn = (schema: z.core.$ZodType): Record<string, InputField> =>
  Object.fromEntries(
    Object.entries(fieldsOf(schema) ?? {}).map(([name, field]) => [camelCase(name), inputField(field)]),
  );

function inputField(schema: z.core.$ZodType): InputField {
  const { isOptional, isNullable, meta } = shapeOf(schema);
  const item = itemOf(schema);
  return {
    type: typeOf(item ?? schema),
    isList: item !== undefined,
    required: !isOptional && !isNullable,
    description: meta.description,
  };
}

/** @throws {TypeError} for an object without a name */
function typeOf(schema: z.core.$ZodType): InputField['type'] {
  const { type, meta } = shapeOf(schema);
  if (!fieldsOf(schema)) return meta.scalar ?? scalars[type] ?? 'String';
  if (meta.graphql === undefined)
    throw new TypeError('An object in an input needs a name: meta({ graphql }).');
  return { name: meta.graphql, description: meta.description ?? '', fields: fieldsIn(schema) };
}

type InputRef = InputObjectRef<Builder['$inferSchemaTypes'], object>;

export type Inputs = ReturnType<typeof createInputs>;

/** Makes the input objects of a schema from the input schemas of its operations, each once. */
export function createInputs(builder: Builder) {
  const made = new Map<string, InputRef>();

  function inputObject(name: string, description: string, fields: Record<string, InputField>): InputRef {
    const known = made.get(name);
    if (known) return known;
    const options = Object.entries(fields).map(([field, its]) => [field, optionsOf(its)] as const);
    const type: InputRef = builder.inputRef<object>(name).implement({
      description,
      fields: t =>
        Object.fromEntries(options.map(([field, its]) => [field, t.field(its as { type: 'String' })])),
    });
    made.set(name, type);
    return type;
  }

  /** Returns a field as Pothos takes it; the items of a list are never null. */
  function optionsOf({ type, isList, required, description }: InputField) {
    const ref = typeof type === 'string' ? type : inputObject(type.name, type.description, type.fields);
    return { type: isList ? [ref] : ref, required, description };
  }

  return {
    optionsOf,

    /** Returns the input object of an operation, and whether it is required; undefined if the operation takes no input. */
    inputOf(spec: OperationSpec): { type: InputRef; required: boolean; description: string } | undefined {
      const fields = inputFields(spec);
      if (Object.keys(fields).length === 0) return undefined;
      const name = shapeOf(spec.input).meta.id ?? `${capitalized(spec.name)}Input`;
      const description = `The input of \`${spec.name}\`.`;
      return {
        description,
        type: inputObject(name, description, fields),
        required: Object.values(fields).some(field => field.required),
      };
    },
  };
}
