// The TypeScript types of the client, from the schemas of the operations.
import { z } from 'zod';
import { camelCase, capitalized } from '../../src/graphql/names.ts';
import { typeName } from '../../src/graphql/outputs.ts';
import { choicesOf, fieldsOf, itemOf, literalOf, namedSchemas, shapeOf } from '../../src/zod-shape.ts';
import type { ClientOperation } from './operations.ts';

/** One field of an interface. */
interface Member {
  name: string;
  type: string;
  isOptional: boolean;
  description: string | undefined;
}

const interfaceOf = (name: string, description: string | undefined, members: Member[]) =>
  [
    ...(description ? [`/** ${description} */`] : []),
    `export interface ${name} {`,
    ...members.flatMap(({ name, type, isOptional, description }) => [
      ...(description ? [`  /** ${description} */`] : []),
      `  ${name}${isOptional ? '?' : ''}: ${type};`,
    ]),
    '}\n',
  ].join('\n');

/** Returns the interfaces of what operations return, and the type of each operation's output. */
export function createOutputTypes(operations: ClientOperation[]) {
  const pages = operations.filter(({ cursor }) => cursor).map(({ output }) => output);
  const named = new Map(
    operations
      .flatMap(({ output }) => [...namedSchemas(output)])
      .filter(([, schema]) => fieldsOf(schema) && !pages.includes(schema)),
  );
  const inGraphQL = Map.groupBy(named.values(), typeName);
  /** The name in GraphQL, except where several views share it, and this one is not the usual one. */
  const nameOf = (id: string) => {
    const schema = named.get(id)!;
    const name = typeName(schema);
    const isUsual = inGraphQL.get(name)!.length === 1 || shapeOf(schema).meta.fuller !== undefined;
    return isUsual ? name : id;
  };
  const words = wordsOf([...named.values()].map(schema => fieldsOf(schema) ?? {}));

  function typeOf(schema: z.core.$ZodType): string {
    const { id } = shapeOf(schema).meta;
    if (id !== undefined && named.has(id)) return nameOf(id);
    const item = itemOf(schema);
    if (item) return listOf(typeOf(item));
    return shapeOf(schema).type === 'union' ? choicesOf(schema).map(typeOf).join(' | ') : scalarOf(schema);
  }

  const membersOf = (schema: z.core.$ZodType): Member[] =>
    Object.entries(fieldsOf(schema)!).map(([name, field]) => {
      const { isOptional, isNullable, meta } = shapeOf(field);
      const type = `${typeOf(field)}${isNullable ? ' | null' : ''}`;
      // A literal is a value, which no interface renames.
      const description = literalOf(field) === undefined ? words(meta.description) : meta.description;
      return { name: camelCase(name), type, isOptional, description };
    });

  return {
    interfaces: [...named.keys()]
      .toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
      .map(id =>
        interfaceOf(nameOf(id), shapeOf(named.get(id)!).meta.description, membersOf(named.get(id)!)),
      ),
    /** The value to which the method of an operation resolves. */
    resultOf({ output, cursor, isEmpty }: ClientOperation): string {
      if (isEmpty) return 'void';
      if (!cursor) return typeOf(output);
      const { items, total, is_capped } = fieldsOf(output)!;
      const more = [total && 'total: number', is_capped && 'isCapped?: boolean'].filter(Boolean).join('; ');
      return `Page<${typeOf(itemOf(items!)!)}>${more && ` & { ${more} }`}`;
    },
    /** The names of the fields that are absent rather than null, in camelCase. */
    optionalFields: optionalIn([...named.values()]),
  };
}

/** @throws {Error} where a name is optional in one view and nullable in another: the client could not tell null from absent */
function optionalIn(views: z.core.$ZodType[]): string[] {
  const fields = views
    .flatMap(view => Object.entries(fieldsOf(view)!))
    .map(([name, field]) => ({ name, ...shapeOf(field) }));
  const optional = new Set(fields.filter(({ isOptional }) => isOptional).map(({ name }) => name));
  const both = fields.filter(({ name, isNullable }) => isNullable && optional.has(name));
  if (both.length > 0) throw new Error(`${both[0]!.name} is optional in one view and nullable in another.`);
  return [...optional].map(camelCase).toSorted();
}

/** Returns the interfaces of what operations take, and the name of each. */
export function createInputTypes(operations: ClientOperation[]) {
  const words = wordsOf(operations.map(({ input }) => input));
  const nameOf = ({ name }: ClientOperation) => `${capitalized(name)}Input`;
  return {
    interfaces: operations
      .filter(({ input }) => Object.keys(input).length > 0)
      .map(operation => interfaceOf(nameOf(operation), undefined, membersOf(operation))),
    /** The parameter of an operation's method. */
    parameterOf(operation: ClientOperation): string {
      const members = membersOf(operation);
      if (members.length === 0) return 'input?: NoInput';
      return `input${members.every(({ isOptional }) => isOptional) ? '?' : ''}: ${nameOf(operation)}`;
    },
  };

  /** The pages of GraphQL begin behind a cursor; what REST alone has is not offered. */
  function membersOf({ input, cursor }: ClientOperation): Member[] {
    return Object.entries(input)
      .filter(([name]) => !(cursor && name === 'skip'))
      .map(([name, field]) => {
        const { isOptional, isNullable, meta } = shapeOf(field);
        const type = `${scalarOf(field)}${isNullable ? ' | null' : ''}${isOptional ? ' | undefined' : ''}`;
        return { name: camelCase(name), type, isOptional, description: words(meta.description) };
      });
  }
}

/** Returns a function that writes field names within a text in camelCase. */
function wordsOf(shapes: Readonly<Record<string, unknown>>[]) {
  const names = new Set(shapes.flatMap(Object.keys));
  return (text: string | undefined) =>
    text?.replace(/`(\w+)`/g, (quoted, name) => (names.has(name) ? `\`${camelCase(name)}\`` : quoted));
}

const listOf = (type: string) => (/\W/.test(type) ? `(${type})[]` : `${type}[]`);

function scalarOf(schema: z.core.$ZodType): string {
  const { schema: core, type } = shapeOf(schema);
  if (core instanceof z.ZodEnum) return core.options.map(option => `'${option}'`).join(' | ');
  const item = itemOf(core);
  if (item) return listOf(scalarOf(item));
  switch (type) {
    case 'string':
    case 'boolean':
    case 'number':
      return type;
    case 'literal':
      return `'${literalOf(schema)}'`;
    case 'record':
      return 'Json';
    default:
      throw new TypeError(`The client has no type for ${type}.`);
  }
}
