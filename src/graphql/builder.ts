import SchemaBuilder from '@pothos/core';
import ComplexityPlugin from '@pothos/plugin-complexity';
import ScopeAuthPlugin from '@pothos/plugin-scope-auth';
import type { output, ZodType } from 'zod';
import { GatehouseError } from '../errors.ts';
import type { Authentication } from '../services/authentication.ts';
import type { GraphQLContext } from './context.ts';

/** What Pothos knows of a schema of ours. */
export interface Types {
  Context: GraphQLContext;
  AuthScopes: { session: boolean; superuser: boolean };
  Scalars: { DateTime: { Input: string; Output: string }; ID: { Input: string; Output: string } };
  DefaultFieldNullability: false;
}

export type Builder = ReturnType<typeof createBuilder>;

/** The fields of an input object that go with a REST input: the same names in camelCase, null where it may be absent. */
export type InputOf<S extends ZodType> = {
  [K in keyof RawInput<S> as K extends string ? CamelCase<K> : never]: RawInput<S>[K];
};
type RawInput<S extends ZodType> = S extends { _zod: { input: infer I } } ? I : output<S>;
type CamelCase<S extends string> = S extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : S;

/** A schema builder of this instance: nothing of a schema is shared between instances. */
export function createBuilder(authentication: Authentication) {
  const builder = new SchemaBuilder<Types>({
    plugins: [ScopeAuthPlugin, ComplexityPlugin],
    defaultFieldNullability: false,
    scopeAuth: {
      // A scope that is not held throws the error that says why, instead of answering no.
      authScopes: ({ caller }) => ({
        session: async () => Boolean(await authentication.sessionOf(caller)),
        superuser: async () => {
          const { user } = await authentication.sessionOf(caller);
          if (!user.isSuperuser) throw new GatehouseError('forbidden');
          return true;
        },
      }),
      unauthorizedError: () => new GatehouseError('forbidden'),
    },
  });

  builder.scalarType('DateTime', {
    description: 'A moment in UTC as ISO 8601 has it, to the millisecond: `2026-01-31T12:00:00.000Z`.',
    serialize: value => value,
  });
  builder.queryType({});
  builder.mutationType({});
  return builder;
}
