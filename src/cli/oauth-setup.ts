import { existsSync } from 'node:fs';
import { readFile, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import { CommandError } from './errors.ts';
import { mergeSecrets, mergeToml, type OAuthSettings, showChange } from './merge-files.ts';
import { writeAtomically } from './write-file.ts';

interface SetupOptions {
  target: string;
  config?: string;
  secrets?: string;
  headless?: boolean;
  clientId?: string;
  clientSecret?: string;
  autoLink?: boolean;
  dryRun?: boolean;
}

export function addOAuthSetup(program: Command): void {
  program
    .command('oauth')
    .description('sign-in with an external provider')
    .command('setup')
    .description("write the provider's credentials and the linking policy into svc.toml and svc.secrets.env")
    .option('--headless', 'take everything from the options, instead of asking on a page')
    .option('--client-id <id>', 'client id at the provider')
    .option('--client-secret <secret>', 'client secret at the provider')
    .option('--auto-link', 'link to an account whose address the provider has verified, too')
    .option('--dry-run', 'show the change and write nothing')
    .option('--target <dir>', 'the folder of the two files', '.')
    .option('--config <file>', 'another file than svc.toml in that folder')
    .option('--secrets <file>', 'another file than svc.secrets.env in that folder')
    .action(setup);
}

async function setup(options: SetupOptions): Promise<void> {
  const files = {
    toml: options.config ?? join(options.target, 'svc.toml'),
    secrets: options.secrets ?? join(options.target, 'svc.secrets.env'),
  };
  for (const path of Object.values(files)) {
    if (!existsSync(path)) throw new CommandError(`${path} does not exist. Make it with svc init first.`);
  }
  if (options.headless) {
    const { clientId, clientSecret, autoLink = false } = options;
    return write(files, checked({ clientId, clientSecret, autoLink }), options.dryRun);
  }
  const { runWizard } = await import('./oauth-wizard.ts');
  await runWizard({
    ...(options.clientId !== undefined && { clientId: options.clientId }),
    save: settings => write(files, checked(settings), options.dryRun),
  });
}

/** @throws {CommandError} when an id or a secret is missing, or can't be one */
function checked({ clientId, clientSecret, autoLink }: Partial<OAuthSettings>): OAuthSettings {
  const values = { 'client id': clientId?.trim(), 'client secret': clientSecret?.trim() };
  for (const [name, value] of Object.entries(values)) {
    const option = `--${name.replace(' ', '-')}`;
    if (!value) throw new CommandError(`The ${name} is missing: give it with ${option}=…`);
    if (!/^[\x21-\x7e]+$/.test(value) || /["'#\\]/.test(value)) {
      throw new CommandError(
        `The ${name} holds white space, quotes or characters beyond ASCII; copy it again.`,
      );
    }
  }
  return {
    clientId: values['client id']!,
    clientSecret: values['client secret']!,
    autoLink: autoLink ?? false,
  };
}

/** The secret goes first: a stop in between leaves a secret that nothing uses yet, and not a provider without one. */
async function write(
  files: { toml: string; secrets: string },
  settings: OAuthSettings,
  dryRun = false,
): Promise<void> {
  const [toml, secrets] = await Promise.all([readFile(files.toml, 'utf8'), readFile(files.secrets, 'utf8')]);
  const fresh = { toml: mergedToml(files.toml, toml, settings), secrets: mergeSecrets(secrets, settings) };
  console.log(showChange(files.toml, toml, fresh.toml));
  console.log(showChange(files.secrets, secrets, fresh.secrets));
  if (dryRun) {
    console.log('Nothing was written.');
    return;
  }
  // The file behind a link, and its rights as the operator has set them: it may hold secrets of its own.
  const tomlPath = await realpath(files.toml);
  await writeAtomically(await realpath(files.secrets), fresh.secrets, 0o600);
  await writeAtomically(tomlPath, fresh.toml, (await stat(tomlPath)).mode & 0o777);
  console.log('Written.');
}

function mergedToml(path: string, text: string, settings: OAuthSettings): string {
  try {
    return mergeToml(text, settings);
  } catch (error) {
    if (error instanceof CommandError) throw error;
    // The parser's own message quotes the line, where a secret may stand.
    const { line, column } = error as { line?: number; column?: number };
    throw new CommandError(`${path} is not valid TOML${line ? `: line ${line}, column ${column}` : ''}.`);
  }
}
