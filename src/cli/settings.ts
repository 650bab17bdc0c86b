import type { Command } from 'commander';
import type { LoadedConfig } from '../config/load.ts';
import type { ConfigInput } from '../config/schema.ts';

/** The options that name configuration files other than the usual ones. */
export interface FileOptions {
  config?: string;
  secrets?: string;
}

/** Adds `--config` and `--secrets` to a command. */
export function withFiles(command: Command): Command {
  return command
    .option(
      '--config <file>',
      'the TOML file to read (acts as SVC_CONFIG; default ./svc.toml when it exists)',
    )
    .option('--secrets <file>', 'the secrets file to read (default ./svc.secrets.env when it exists)');
}

/** Loads the configuration and prints which files it came from, on standard error unless another stream is given. */
export async function loadSettings(
  { config, secrets }: FileOptions,
  overrides: ConfigInput = {},
  say: (line: string) => void = console.error,
): Promise<LoadedConfig> {
  const { loadConfig } = await import('../config/load.ts');
  const env = config === undefined ? process.env : { ...process.env, SVC_CONFIG: config };
  const loaded = loadConfig({ arguments: overrides, env, secretsFile: secrets });
  say(`read ${loaded.filesRead.join(' and ') || 'no file: environment and defaults only'}`);
  return loaded;
}
