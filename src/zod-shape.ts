import { z } from 'zod';

/** The description of one field by a schema, through its optional, default, transformed and described layers. */
export interface FieldShape {
  /** zod's name of the innermost layer: `string`, `number`, `boolean`, `array`, `object`, `literal` … */
  type: z.core.$ZodTypeDef['type'];
  /** Whether the field may be absent. */
  isOptional: boolean;
  /** Whether the field may be null. */
  isNullable: boolean;
  /** The value of an absent field, if the schema sets one. */
  default: unknown;
  /** The metadata of all layers; an outer layer overrides an inner one. */
  meta: z.core.GlobalMeta;
  /** The innermost layer. */
  schema: z.core.$ZodType;
}

type AnyDef = z.core.$ZodTypeDef & {
  innerType?: z.core.$ZodType;
  in?: z.core.$ZodType;
  defaultValue?: unknown;
};

/** Returns what a field accepts. Only this module knows how zod represents its layers. */
export function shapeOf(schema: z.core.$ZodType): FieldShape {
  const def = schema._zod.def as AnyDef;
  const inner = def.innerType ?? def.in;
  const found: FieldShape = inner
    ? shapeOf(inner)
    : { type: def.type, isOptional: false, isNullable: false, default: undefined, meta: {}, schema };
  if (def.type === 'optional') found.isOptional = true;
  if (def.type === 'nullable') found.isNullable = true;
  if (def.type === 'default' || def.type === 'prefault') found.default = def.defaultValue;
  found.meta = { ...found.meta, ...z.globalRegistry.get(schema) };
  return found;
}

/** Returns the fields of an object schema, through its layers; undefined for any other schema. */
export function fieldsOf(schema: z.core.$ZodType): Readonly<Record<string, z.ZodType>> | undefined {
  const { schema: core } = shapeOf(schema);
  return core instanceof z.ZodObject ? (core as z.ZodObject).shape : undefined;
}

/** Returns what a list holds; undefined for any other schema. */
export function itemOf(schema: z.core.$ZodType): z.core.$ZodType | undefined {
  const { schema: core } = shapeOf(schema);
  return core instanceof z.ZodArray ? core.element : undefined;
}

/** Returns what a record holds under each of its names; undefined for any other schema. */
export function recordValueOf(schema: z.core.$ZodType): z.core.$ZodType | undefined {
  const { schema: core } = shapeOf(schema);
  return core instanceof z.ZodRecord ? core.valueType : undefined;
}

/** Returns the choices of a union; any other schema is its own only choice. */
export function choicesOf(schema: z.core.$ZodType): readonly z.core.$ZodType[] {
  const { schema: core } = shapeOf(schema);
  return core instanceof z.ZodUnion ? core.options : [core];
}

/** Returns the one value of a literal schema; undefined for any other schema. */
export function literalOf(schema: z.core.$ZodType): unknown {
  const { schema: core } = shapeOf(schema);
  return core instanceof z.ZodLiteral ? [...core.values][0] : undefined;
}

/** Returns the words that a schema of texts accepts; none for any other schema. */
export function wordsOf(schema: z.core.$ZodType): readonly string[] {
  const { schema: core } = shapeOf(schema);
  if (core instanceof z.ZodEnum) return core.options.map(String);
  return core instanceof z.ZodLiteral ? [...core.values].map(String) : [];
}

/** Returns every schema within a schema, itself included, that has a name of its own (`meta({ id })`), by that name. */
export function namedSchemas(schema: z.core.$ZodType): Map<string, z.core.$ZodType> {
  const { meta, schema: core } = shapeOf(schema);
  const parts = [
    ...Object.values(fieldsOf(core) ?? {}),
    ...(core instanceof z.ZodArray ? [core.element] : []),
    ...(core instanceof z.ZodUnion ? core.options : []),
  ];
  return new Map([
    ...(meta.id === undefined ? [] : [[meta.id, core] as const]),
    ...parts.flatMap(part => [...namedSchemas(part)]),
  ]);
}

declare module 'zod' {
  interface GlobalMeta {
    /** The descriptions of the values of an enum, for GraphQL. */
    values?: Readonly<Record<string, string>>;
    /** The name of an output schema, or of words that are an enum there, in GraphQL, if it is not its `id`. */
    graphql?: string;
    /** Whether a view with nothing but `items` is a list itself in GraphQL. */
    isList?: boolean;
    /** A view of the same thing with further fields, which has the same type in GraphQL: there they are null in this one. */
    fuller?: object;
    /** The GraphQL scalar, if it is not `String` for a text or `Int` for a number. */
    scalar?: 'ID' | 'DateTime' | 'JSON' | 'Float';
    /** Whether logs and messages must not show the value. */
    secret?: boolean;
    /** Whether a setting reaches the world or limits people: tests of a host do not take it from its configuration file. */
    isOutsideOfTests?: boolean;
    /** Whether a secret must not be in the configuration file, which others may read. */
    isKeptOutOfFiles?: boolean;
    /** The command that makes a secret which is kept out of the configuration file. */
    madeBy?: string;
    /** Whether a table whose names the configuration chooses is one value: in the environment a JSON object. */
    isValue?: boolean;
  }
}
