import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Command } from 'commander';
import { type Answers, defaultAnswers } from './answers.ts';
import { CommandError } from './errors.ts';
import { writeAtomically } from './write-file.ts';

interface InitOptions {
  target: string;
  force?: boolean;
  yes?: boolean;
}

/** 64 random bytes, URL-safe (SPEC §1). */
const secretBytes = 64;

export function addInit(program: Command): void {
  program
    .command('init')
    .description('write svc.toml and svc.secrets.env, with a fresh signing secret')
    .option('--target <dir>', 'the folder to write them to', '.')
    .option('--force', 'replace files that are there: every token signed so far becomes invalid')
    .option('--yes', 'ask nothing and take the defaults')
    .action(init);
}

/** The questions load what a silent run does not need. */
const interview = async () => (await import('./interview.ts')).interview();

async function init({ target, force = false, yes = false }: InitOptions): Promise<void> {
  if (!existsSync(target)) throw new CommandError(`The folder ${target} does not exist. Make it first.`);
  const config = { path: join(target, 'svc.toml'), mode: 0o644 };
  const secrets = { path: join(target, 'svc.secrets.env'), mode: 0o600 };
  const wanted = [config, secrets].filter(file => force || !existsSync(file.path));
  for (const { path } of [config, secrets]) {
    if (!wanted.some(file => file.path === path))
      console.log(`${shown(path)} is there already and stays as it is.`);
  }
  if (wanted.length === 0) return;

  const answers = yes || !process.stdin.isTTY ? defaultAnswers : await interview();
  for (const file of wanted) {
    const text = file === config ? toToml(answers, await canLimit()) : toSecrets(answers);
    await writeAtomically(file.path, text, file.mode);
    console.log(`${shown(file.path)} written.`);
  }
}

/** JSON strings are TOML basic strings. */
const quoted = (value: string) => JSON.stringify(value);

/** Whether the package that counts requests is there; without it a limit would keep the server from starting. */
const canLimit = () =>
  import('rate-limiter-flexible').then(
    () => true,
    () => false,
  );

/** Limits per client address: wide enough for an office behind one address, too narrow for guessing. */
const limits = {
  login: '30/minute;300/hour',
  login_mfa_confirm: '30/minute;300/hour',
  register: '30/minute;200/hour',
  verify: '30/minute;300/hour',
  resend_verification: '10/minute;60/hour',
  forgot_password: '10/minute;60/hour',
  reset_password: '30/minute;300/hour',
  change_password: '30/minute;300/hour',
  change_email: '10/minute;60/hour',
  confirm_email_change: '30/minute;300/hour',
  delete_account: '30/minute;300/hour',
  phone_start: '10/minute;60/hour',
  phone_confirm: '30/minute;300/hour',
  phone_disable: '30/minute;300/hour',
  oauth_start: '30/minute;300/hour',
  oauth_exchange: '30/minute;300/hour',
};

function limitsToml(active: boolean): string {
  const lines = Object.entries(limits).map(([route, limit]) => `${route}_rate_limit = ${quoted(limit)}`);
  if (active) return ['# Limits per client address.', ...lines].join('\n');
  const hint = '# Limits per client address: npm install rate-limiter-flexible, then take the # away.';
  return [hint, ...lines.map(line => `# ${line}`)].join('\n');
}

function toToml({ appName, baseUrl }: Answers, hasLimiter: boolean): string {
  return `# Gatehouse configuration. docs/configuration.md lists every field; SVC_* in the environment wins over this file.
# Secrets (signing secret, database URL) stand in svc.secrets.env, not here.

app_name = ${quoted(appName)}
# The origin of links in mails.
base_url = ${quoted(baseUrl)}

# Whether a new address must be confirmed before its owner can sign in.
require_verification = true
allow_registration = true

${limitsToml(hasLimiter)}

[email]
# console prints mails instead of sending them; smtp and ses send.
backend = "console"
from_address = "noreply@localhost"
`;
}

function toSecrets({ databaseUrl }: Answers): string {
  return `# Keep this file out of version control. It is readable by its owner alone.
SVC_JWT_SECRET=${randomBytes(secretBytes).toString('base64url')}
SVC_DATABASE_URL=${databaseUrl}
`;
}

const shown = (path: string) => relative('.', path) || path;
