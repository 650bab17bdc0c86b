import type { GraphQLResolveInfo } from 'graphql';
import { callerAnew } from '../domain/caller.ts';
import type { OpenCall } from '../domain/operation.ts';
import { fieldsOf, itemOf } from '../zod-shape.ts';
import type { Builder } from './builder.ts';
import { type Connections, connect, pageCost } from './connection.ts';
import type { GraphQLContext } from './context.ts';
import type { Field } from './field.ts';
import { type InputField, type Inputs, inputFields } from './inputs.ts';
import { capitalized, inputReader } from './names.ts';
import { listedOf, type Output, type Outputs, typeName } from './outputs.ts';
import type { Operate } from './plan.ts';
import { scopes } from './scopes.ts';

type Args = Parameters<Operate>[0];

interface SchemaParts {
  builder: Builder;
  inputs: Inputs;
  outputs: Outputs;
  connections: Connections;
}

/** Returns a function that adds fields to a schema; a field is derived from its operation alone. */
export function createFieldMaker({ builder, inputs, outputs, connections }: SchemaParts) {
  /** The call of each execution of a field, by its path, which no other execution shares. */
  const calls = new WeakMap<GraphQLResolveInfo['path'], OpenCall>();

  /**
   * Returns the options that every field has, whatever its type. A field is nullable, because a rejected field is null.
   * @param work what is done with the arguments, for a caller who is admitted
   */
  function commonOf({ kind, operation }: Field, work: (call: OpenCall, args: Args) => Promise<unknown>) {
    const {
      access: { kind: access },
      summary,
      description,
    } = operation.spec;

    /**
     * Opens a call. The queries of a document share one session check. Mutations run one after another and each has its own
     * caller: after `logout` the next one must be rejected.
     */
    const open = ({ caller }: GraphQLContext): OpenCall =>
      operation.open(kind === 'query' ? caller : callerAnew(caller));

    /** Returns the call that the scope and the resolver of one execution share. */
    function callOf(context: GraphQLContext, { path }: GraphQLResolveInfo): OpenCall {
      const call = calls.get(path) ?? open(context);
      calls.set(path, call);
      return call;
    }

    const operate: Operate = async (args, context) => {
      const call = open(context);
      if (access !== 'anyone') await scopes[access](call);
      return work(call, args);
    };
    return {
      nullable: true as const,
      extensions: { operate, isOfAdministration: access === 'superuser' },
      resolve: (_parent: unknown, args: object, context: GraphQLContext, info: GraphQLResolveInfo) =>
        work(callOf(context, info), args as Args) as Promise<never>,
      description: description ? `${summary} ${description}` : summary,
      ...(access !== 'anyone' && {
        authScopes: (_parent: unknown, _args: object, context: GraphQLContext, info: GraphQLResolveInfo) => ({
          [access]: callOf(context, info),
        }),
      }),
    };
  }

  function addMutation(field: Field): void {
    const { spec } = field.operation;
    const input = inputs.inputOf(spec);
    const toInput = inputReader(spec.input);
    builder.mutationField(spec.name, t =>
      t.field({
        ...commonOf(field, (call, { input }) => call.run(input ? toInput(input as object) : undefined)),
        type: outputs.typeOf(spec.output, `${capitalized(spec.name)}Result`) as 'String',
        args: input ? { input: t.arg(input) } : {},
      }),
    );
  }

  function addQuery(field: Field): void {
    const { spec } = field.operation;
    const toInput = inputReader(spec.input);
    const isList = listedOf(spec.output) !== undefined;
    builder.queryField(spec.name, t =>
      t.field({
        ...commonOf(
          field,
          isList ? (call, args) => itemsOf(call.run(toInput(args))) : (call, args) => call.run(toInput(args)),
        ),
        type: outputs.typeOf(spec.output) as 'String',
        args: mapped(inputFields(spec), field => t.arg(inputs.optionsOf(field) as { type: 'String' })),
      }),
    );
  }

  function addConnection(field: Field, cursor: readonly string[]): void {
    const { spec } = field.operation;
    const page = fieldsOf(spec.output)!;
    const item = itemOf(page.items!)!;
    const { skip, limit, ...rest } = inputFields(spec);
    const toInput = inputReader(spec.input);
    builder.queryField(spec.name, t =>
      t.field({
        ...commonOf(field, (call, args) => connect(args, cursor, input => call.run(toInput(input)))),
        type: connections.typeOf(
          typeName(item),
          outputs.typeOf(item) as Output,
          'total' in page,
          'is_capped' in page,
        ),
        args: mapped({ first: limit!, ...rest }, field =>
          t.arg(inputs.optionsOf(field) as { type: 'String' }),
        ),
        complexity: pageCost,
      }),
    );
  }

  return {
    add(field: Field): void {
      if (field.cursor) addConnection(field, field.cursor);
      else if (field.kind === 'query') addQuery(field);
      else addMutation(field);
    },
  };
}

const itemsOf = async (result: Promise<unknown>) => ((await result) as { items: unknown }).items;

const mapped = <T>(fields: Record<string, InputField>, make: (field: InputField) => T): Record<string, T> =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, make(field)]));
