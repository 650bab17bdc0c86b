import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import { type ConfigSources, type LoadedConfig, loadConfig } from '../../src/config/load.ts';
import type { ConfigInput } from '../../src/config/schema.ts';
import { ConfigError, type ConfigProblem } from '../../src/errors.ts';

export const jwtSecret = 'a-signing-secret-of-these-tests-0123456789';

/** What each source holds; a file that is not given is not there. */
export interface Given extends Pick<ConfigSources, 'configFile' | 'secretsFile'> {
  toml?: string;
  secrets?: string;
  /** Beside the signing secret, which is set unless this says otherwise. */
  env?: Record<string, string | undefined>;
  arguments?: ConfigInput;
  /** More files, by name. */
  files?: Record<string, string>;
}

/** A folder of one test's own, with the files given. */
export function folderWith({ toml, secrets, files = {} }: Given): string {
  const folder = mkdtempSync(join(inject('temporaryFolder'), 'config-'));
  const wanted = { ...files, 'svc.toml': toml, 'svc.secrets.env': secrets };
  for (const [name, text] of Object.entries(wanted)) {
    if (text !== undefined) writeFileSync(join(folder, name), text, { mode: 0o600 });
  }
  return folder;
}

/** Loads a configuration from these sources and none else. */
export function load(given: Given = {}, cwd = folderWith(given)): LoadedConfig {
  const { env, configFile, secretsFile } = given;
  return loadConfig({
    cwd,
    env: { SVC_JWT_SECRET: jwtSecret, ...env },
    arguments: given.arguments,
    configFile,
    secretsFile,
  });
}

/** What is wrong with a configuration, each source named by its file's name alone. */
export function problemsOf(given: Given): ConfigProblem[] {
  const cwd = folderWith(given);
  try {
    load(given, cwd);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map(p => ({ ...p, source: p.source.replace(`${cwd}/`, '') }));
  }
}

/** The one thing that is wrong, as `source: key: message`. */
export function problemOf(given: Given): string {
  return problemsOf(given)
    .map(({ source, key, message }) => `${source}: ${key}: ${message}`)
    .join('\n');
}
