import SchemaBuilder from '@pothos/core';
import ComplexityPlugin from '@pothos/plugin-complexity';
import ScopeAuthPlugin from '@pothos/plugin-scope-auth';
import type { OpenCall } from '../domain/operation.ts';
import { GatehouseError } from '../errors.ts';
import type { GraphQLContext } from './context.ts';
import { scopes } from './scopes.ts';

/** The types of this schema for Pothos. */
export interface Types {
  Context: GraphQLContext;
  /** The access that an operation requires; the call itself decides whether the caller is admitted. */
  AuthScopes: { session: OpenCall; person: OpenCall; superuser: OpenCall };
  Scalars: {
    DateTime: { Input: string; Output: string };
    ID: { Input: string; Output: string };
    JSON: { Input: unknown; Output: unknown };
  };
  DefaultFieldNullability: false;
}

export type Builder = ReturnType<typeof createBuilder>;

/** Returns a schema builder of this instance: instances share nothing of a schema. */
export function createBuilder({ hasJson }: { hasJson: boolean }) {
  const builder = new SchemaBuilder<Types>({
    plugins: [ScopeAuthPlugin, ComplexityPlugin],
    defaultFieldNullability: false,
    scopeAuth: {
      authScopes: () => scopes,
      unauthorizedError: () => new GatehouseError('forbidden'),
    },
  });

  builder.scalarType('DateTime', {
    description: 'A moment in UTC as ISO 8601 has it, to the millisecond: `2026-01-31T12:00:00.000Z`.',
    serialize: value => value,
  });
  if (hasJson)
    builder.scalarType('JSON', {
      description: 'Any JSON value: what browsers call the JSON form of WebAuthn options and credentials.',
      serialize: value => value,
    });
  builder.queryType({ description: 'Everything that is read.' });
  builder.mutationType({ description: 'Everything that changes something, and every sign-in.' });
  return builder;
}
