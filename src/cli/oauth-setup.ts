import { existsSync } from 'node:fs';
import { readFile, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import { CommandError } from './errors.ts';
import { mergeSecrets, mergeToml, type OAuthSettings } from './merge-files.ts';
import { settingsOf, targetOf } from './oauth-questions.ts';
import { writeAtomically } from './write-file.ts';

interface SetupOptions {
  target: string;
  config?: string;
  secrets?: string;
  headless?: boolean;
  provider: string;
  kind?: string;
  clientId?: string;
  clientSecret?: string;
  issuer?: string;
  tenant?: string;
  teamId?: string;
  keyId?: string;
  privateKeyFile?: string;
  autoLink?: boolean;
  dryRun?: boolean;
}

export function addOAuthSetup(program: Command): void {
  program
    .command('oauth')
    .description('sign-in with an external provider')
    .command('setup')
    .description("write the provider's credentials and the linking policy into svc.toml and svc.secrets.env")
    .option('--headless', 'read everything from the options instead of asking on a page')
    .option(
      '--provider <name>',
      'the name of the provider: github, microsoft, apple, or one of your own',
      'google',
    )
    .option('--kind <kind>', 'oidc, github, microsoft or apple; by default what the name says, else oidc')
    .option('--client-id <id>', 'client id at the provider')
    .option('--client-secret <secret>', 'client secret at the provider')
    .option('--issuer <url>', 'oidc: the issuer')
    .option('--tenant <tenant>', 'microsoft: whose accounts may sign in')
    .option('--team-id <id>', 'apple: the id of the team')
    .option('--key-id <id>', 'apple: the id of the key')
    .option('--private-key-file <file>', 'apple: the file with the key, in PEM')
    .option('--auto-link', 'also link to an existing account whose address the provider has verified')
    .option('--dry-run', 'show the change and write nothing')
    .option('--target <dir>', 'the folder of the two files', '.')
    .option('--config <file>', 'the configuration file, instead of svc.toml in that folder')
    .option('--secrets <file>', 'the secrets file, instead of svc.secrets.env in that folder')
    .action(setup);
}

async function setup(options: SetupOptions): Promise<void> {
  const files = {
    toml: options.config ?? join(options.target, 'svc.toml'),
    secrets: options.secrets ?? join(options.target, 'svc.secrets.env'),
  };
  for (const path of Object.values(files)) {
    if (!existsSync(path)) throw new CommandError(`${path} does not exist. Create it with svc init first.`);
  }
  const target = targetOf(options.provider, options.kind);
  const answers = await answersOf(options);
  if (options.headless) {
    return write(files, settingsOf(target, answers, options.autoLink ?? false), options.dryRun);
  }
  const { runWizard } = await import('./oauth-wizard.ts');
  await runWizard({
    ...{ target, answers },
    save: (given, autoLink) => write(files, settingsOf(target, given, autoLink), options.dryRun),
  });
}

/** Returns the answers that the options give. @throws {CommandError} when the file of the key cannot be read */
async function answersOf(options: SetupOptions): Promise<Record<string, string | undefined>> {
  const { clientId, clientSecret, issuer, tenant, teamId, keyId, privateKeyFile } = options;
  return {
    ...{ client_id: clientId, client_secret: clientSecret, issuer, tenant },
    ...{ team_id: teamId, key_id: keyId },
    private_key: privateKeyFile === undefined ? undefined : await readKey(privateKeyFile),
  };
}

const readKey = (path: string) =>
  readFile(path, 'utf8').catch(error => {
    throw new CommandError(`${path} can't be read (${error.code}).`);
  });

/**
 * The secret is written first: an interruption then leaves a secret that nothing uses yet, and not a provider without one.
 */
async function write(
  files: { toml: string; secrets: string },
  settings: OAuthSettings,
  dryRun = false,
): Promise<void> {
  const [toml, secrets] = await Promise.all([readFile(files.toml, 'utf8'), readFile(files.secrets, 'utf8')]);
  const fresh = { toml: mergedToml(files.toml, toml, settings), secrets: mergeSecrets(secrets, settings) };
  const { showSecretsChange, showTomlChange } = await import('./show-change.ts');
  console.log(showTomlChange(files.toml, toml, fresh.toml));
  console.log(showSecretsChange(files.secrets, secrets, fresh.secrets));
  if (dryRun) {
    console.log('Nothing was written.');
    return;
  }
  // The target of a symbolic link, with the rights that the operator set: the file may hold secrets of its own.
  const tomlPath = await realpath(files.toml);
  await writeAtomically(await realpath(files.secrets), fresh.secrets, 0o600);
  await writeAtomically(tomlPath, fresh.toml, (await stat(tomlPath)).mode & 0o777);
  console.log('Written.');
  console.log(
    'Next: svc validate tries the provider, and names the redirect URI to register there. Then restart the service.',
  );
}

function mergedToml(path: string, text: string, settings: OAuthSettings): string {
  try {
    return mergeToml(text, settings);
  } catch (error) {
    if (error instanceof CommandError) throw error;
    // The parser's own message quotes the line, which may hold a secret.
    const { line, column } = error as { line?: number; column?: number };
    throw new CommandError(`${path} is not valid TOML${line ? `: line ${line}, column ${column}` : ''}.`);
  }
}
