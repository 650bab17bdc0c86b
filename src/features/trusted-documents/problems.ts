import type { TogetherProblem } from '../../config/prefixes.ts';
import type { Given } from '../../feature.ts';
import { readTrustedDocuments } from './manifest.ts';

/** Returns what is wrong with the manifest, which stops the start. */
export function problemsOf({ graphql_trusted_documents: path }: Given): TogetherProblem[] {
  if (typeof path !== 'string' || path === '') return [];
  try {
    readTrustedDocuments(path);
    return [];
  } catch (error) {
    return [{ path: ['graphql_trusted_documents'], message: (error as Error).message }];
  }
}
