import type { GraphQLSchema } from 'graphql';
import type { Operation } from '../domain/operation.ts';
import { fieldsOf as membersOf, shapeOf } from '../zod-shape.ts';
import { createBuilder } from './builder.ts';
import { createConnections } from './connection.ts';
import { addErrorCodes } from './error-codes.ts';
import { fieldsOf } from './field.ts';
import { createInputs } from './inputs.ts';
import { createFieldMaker } from './make-field.ts';
import { createOutputs } from './outputs.ts';

/** Returns the schema of these operations: disabled features are not in it. */
export function createGraphQLSchema(operations: readonly Operation[]): GraphQLSchema {
  const fields = fieldsOf(operations);
  const builder = createBuilder({ hasJson: operations.some(usesJson) });
  const maker = createFieldMaker({
    builder,
    inputs: createInputs(builder),
    outputs: createOutputs(builder),
    connections: createConnections(builder),
  });
  for (const field of fields) maker.add(field);
  addErrorCodes(builder);
  return builder.toSchema();
}

/** Returns whether a member of its input or output is plain JSON. */
const usesJson = ({ spec }: Operation): boolean =>
  [spec.input, spec.output].some(schema =>
    Object.values(membersOf(schema) ?? {}).some(member => shapeOf(member).meta.scalar === 'JSON'),
  );
