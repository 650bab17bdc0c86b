import { z } from 'zod';
import { type Camel, camelCase } from './names.ts';
import { choicesOf, fieldsOf, itemOf, shapeOf } from './zod-shape.ts';

/** A member that SPEC.md names itself: it is there under that name, beside the translated one. */
type Specified = 'was_new';
const specified: Specified = 'was_new';

type NodeName<K> = K extends Specified ? K | Camel<K> : K extends string ? Camel<K> : never;

/**
 * A view of the wire as it is in Node (CONTRACT §6): names in camelCase, and a `Date` for each time. The names within a
 * record are somebody else's, such as the own fields of a host, and stay.
 */
export type InNode<S> = S extends z.ZodISODateTime
  ? Date
  : S extends z.ZodOptional<infer I> | z.ZodNullable<infer I>
    ? InNode<I> | Extract<z.infer<S>, null | undefined>
    : S extends z.ZodArray<infer I>
      ? InNode<I>[]
      : S extends z.ZodUnion<infer O>
        ? InNode<O[number]>
        : S extends z.ZodObject<infer Shape>
          ? { [K in keyof z.infer<S> as NodeName<K>]: K extends keyof Shape ? InNode<Shape[K]> : never }
          : z.infer<S>;

type Translate = (wire: unknown) => unknown;

/** Returns the same value, in a copy that the receiver may change. */
const copy: Translate = wire => (typeof wire === 'object' ? structuredClone(wire) : wire);

const made = new WeakMap<z.core.$ZodType, Translate>();

/** Returns the translation of what is neither null nor absent. */
function translationOf(schema: z.core.$ZodType): Translate {
  const known = made.get(schema);
  if (known) return known;
  const translation = makeTranslation(schema);
  made.set(schema, translation);
  return translation;
}

function makeTranslation(schema: z.core.$ZodType): Translate {
  if (shapeOf(schema).schema instanceof z.ZodISODateTime) return wire => new Date(wire as string);
  const item = itemOf(schema);
  if (item) {
    const ofItem = translationOf(item);
    return wire => (wire as unknown[]).map(ofItem);
  }
  // The views of a union mean the same by the same name.
  const fields: Record<string, z.ZodType> = Object.assign({}, ...choicesOf(schema).map(fieldsOf));
  if (Object.keys(fields).length === 0) return copy;
  const known = new Map(
    Object.entries(fields).map(([name, field]) => [
      name,
      { name: camelCase(name), value: translationOf(field) },
    ]),
  );
  return wire => {
    const result: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(wire as object)) {
      // A newer version may have stored more.
      const member = known.get(name) ?? { name: camelCase(name), value: copy };
      result[member.name] = value == null ? value : member.value(value);
      if (name === specified) result[name] = value;
    }
    return result;
  };
}

/** Returns what somebody in Node gets in place of a view of the wire: the one translation, by the schema of the view. */
export const inNode = <S extends z.ZodType>(schema: S, wire: z.infer<S>): InNode<S> =>
  (wire == null ? wire : translationOf(schema)(wire)) as InNode<S>;
