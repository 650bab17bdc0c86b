import {
  GraphQLBoolean,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLNullableOutputType,
  GraphQLObjectType,
  type GraphQLOutputType,
  GraphQLSchema,
  GraphQLString,
  parse,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { readFromParent } from '../../src/graphql/completion.ts';
import type { GraphQLContext } from '../../src/graphql/context.ts';
import { planOf } from '../../src/graphql/plan.ts';
import { execute } from '../support/yoga-executor.ts';

// Where an item of a list fails, a plan sends byte for byte what the executor sends.

const required = <T extends GraphQLNullableOutputType>(type: T) => new GraphQLNonNull(type);
const view = (name: string, types: Record<string, GraphQLOutputType>) =>
  new GraphQLObjectType({
    name,
    fields: Object.fromEntries(
      Object.entries(types).map(([key, type]) => [key, { type, extensions: readFromParent }]),
    ),
  });

const item = view('Item', {
  name: GraphQLString,
  id: required(GraphQLString),
  age: GraphQLInt,
  isNew: GraphQLBoolean,
  tags: new GraphQLList(GraphQLString),
  days: new GraphQLList(required(GraphQLInt)),
});
const page = view('Page', {
  items: new GraphQLList(item),
  required: new GraphQLList(required(item)),
  whole: required(new GraphQLList(required(item))),
  first: item,
});

/** A schema whose one field has this value. */
function schemaOf(value: unknown): GraphQLSchema {
  const resolve = async () => value;
  const fields = { page: { type: page, resolve, extensions: { operate: resolve } } };
  return new GraphQLSchema({ query: new GraphQLObjectType({ name: 'Query', fields }) });
}

const context: GraphQLContext = { caller: { ip: '192.0.2.1', requestId: 'r1' } };

async function both(value: unknown, text: string) {
  const [schema, document] = [schemaOf(value), parse(text)];
  const planned = await planOf(schema, document)!.execute(context, {});
  const executed = await execute({ schema, document });
  if (!('data' in executed)) throw new Error('The executor has refused it.');
  return [planned, executed].map(({ data, errors }) =>
    JSON.stringify({ data, ...(errors && { errors: errors.map(each => each.toJSON()) }) }),
  );
}

const good = { id: 'a', name: 'Ada', age: 36, isNew: true, tags: ['x', null], days: [1, 2] };
const fields = '{ __typename again: name id name age isNew tags days }';
const lists = ['items', 'required', 'whole'] as const;

describe.each(lists)('in the list "%s"', list => {
  test.each<[string, unknown]>([
    ['no items', []],
    ['nothing but items', [good, { ...good, id: 'b', name: null }]],
    ['null in place of the list', null],
    ['an error in place of the list', new Error('no list')],
    ['a value that is no list', 7],
    ['a list that fails while it is read', failing()],
    ['null in place of an item', [good, null, good]],
    ['an error in place of an item', [good, new Error('no item'), good]],
    ['an item without what it must have', [good, { ...good, id: null }, { ...good, id: undefined }]],
    ['values of wrong types', [{ ...good, name: {}, age: 1.5, isNew: 'x' }, good]],
    ['a required value of a wrong type', [{ ...good, id: [] }, good]],
    ['an error in place of a value', [{ ...good, name: new Error('no name'), age: new Error('no age') }]],
    ['a wrong value in a list of an item', [{ ...good, tags: ['x', {}], days: [1, null, 2] }]],
    ['a resolver that throws', [{ ...good, get name() { throw new Error('thrown'); } }]], // biome-ignore format: one line a case
  ])('%s is sent as by the executor', async (_, value) => {
    const query = `{ page { before: first { id } ${list} ${fields} after: first { id } } }`;
    const [planned, executed] = await both({ [list]: value, first: good }, query);
    expect(planned).toBe(executed);
  });
});

/** A list that ends with an error behind its first item. */
function failing(): Iterable<unknown> {
  return {
    *[Symbol.iterator]() {
      yield good;
      throw new Error('the list broke off');
    },
  };
}

test('a name that JavaScript gives a meaning is left to the executor', () => {
  expect(planOf(schemaOf(null), parse('{ page { __proto__: first { id } } }'))).toBeNull();
});

test('names of methods of every object are names like any other', async () => {
  const query = '{ page { toJSON: first { id toString: name valueOf: age } constructor: items { id } } }';
  const [planned, executed] = await both({ first: good, items: [good] }, query);
  expect(planned).toBe(executed);
});
