import type { Config } from '../../config/schema.ts';
import { readTrustedDocuments } from '../../config/trusted-documents.ts';
import { ConfigError } from '../../errors.ts';
import { type Finding, reasonOf } from './finding.ts';

/** Checks which GraphQL documents are executed, and whether the trusted ones fit the schema. */
export async function checkDocuments(
  { enableGraphql, graphqlTrustedDocuments: path }: Config,
  assertDocuments: () => Promise<void>,
): Promise<Finding[]> {
  if (!enableGraphql) return [['ok', 'off (enable_graphql)']];
  if (path === undefined) return [['ok', 'any document within the limits is executed']];
  try {
    await assertDocuments();
  } catch (error) {
    if (!(error instanceof ConfigError)) return [['fail', `${path}: ${reasonOf(error)}`]];
    return error.problems.map(({ source, key, message }) => ['fail', `${source}: ${key}: ${message}`]);
  }
  return [['ok', `only the ${readTrustedDocuments(path).size} documents of ${path} are executed`]];
}
