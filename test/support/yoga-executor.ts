import type { ExecutionArgs, ExecutionResult } from 'graphql';
import { createYoga } from 'graphql-yoga';

const { execute: executeByYoga } = createYoga({ logging: false, maskedErrors: false }).getEnveloped({});

/** Executes a document as the server package does. */
export const execute = (args: ExecutionArgs): Promise<ExecutionResult> =>
  Promise.resolve(executeByYoga(args));
