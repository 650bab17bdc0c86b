import { createCommandLog } from '../../cli/log.ts';
import type { Config } from '../../config/schema.ts';
import { ConfigError } from '../../errors.ts';
import { type Finding, type NamedFinding, reasonOf } from '../../validate/configuration/finding.ts';
import { readTrustedDocuments } from './manifest.ts';

/** Returns whether the trusted documents fit the schema of this configuration. */
export async function checkSettings(config: Config): Promise<NamedFinding[]> {
  if (!config.enableGraphql) return [];
  return (await findingsOf(config)).map(finding => ({ name: 'graphql', finding }));
}

async function findingsOf(config: Config): Promise<Finding[]> {
  const path = String(config.graphqlTrustedDocuments);
  try {
    await assertDocuments(config);
  } catch (error) {
    if (!(error instanceof ConfigError)) return [['fail', `${path}: ${reasonOf(error)}`]];
    return error.problems.map(({ source, key, message }) => ['fail', `${source}: ${key}: ${message}`]);
  }
  return [['ok', `only the ${readTrustedDocuments(path).size} documents of ${path} are executed`]];
}

/** @throws {ConfigError} with each trusted document that does not fit the schema of this configuration */
async function assertDocuments(config: Config): Promise<void> {
  const { assemble } = await import('../../gatehouse.ts');
  const gatehouse = await assemble(config, { logger: createCommandLog() });
  try {
    await gatehouse.assertDocuments();
  } finally {
    await gatehouse.close();
  }
}
