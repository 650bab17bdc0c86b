import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type Command, Option } from 'commander';
import { hasCounter } from '../limits/package.ts';
import { defaultAnswers } from './answers.ts';
import { CommandError } from './errors.ts';
import { secretsOf, tomlOf } from './init-files.ts';
import { writeAtomically } from './write-file.ts';

interface InitOptions {
  target: string;
  force?: boolean;
  yes?: boolean;
  next: boolean;
}

export function addInit(program: Command): void {
  program
    .command('init')
    .description('write svc.toml and svc.secrets.env, with a fresh signing secret')
    .option('--target <dir>', 'the folder to write them to', '.')
    .option('--force', 'replace files that are there: every token signed so far becomes invalid')
    .option('--yes', 'ask nothing and take the defaults')
    .addOption(new Option('--no-next', 'for whoever goes on by itself').hideHelp())
    .action(init);
}

/** The width of a terminal that does not say its own. */
const usualColumns = 80;

async function init({ target, force = false, yes = false, next }: InitOptions): Promise<void> {
  if (!existsSync(target)) throw new CommandError(`The folder ${target} does not exist. Make it first.`);
  const files = {
    config: { path: join(target, 'svc.toml'), mode: 0o644 },
    // The secrets go first: a stop in between leaves a file that nothing uses yet.
    secrets: { path: join(target, 'svc.secrets.env'), mode: 0o600 },
  };
  const order = [files.secrets, files.config];
  const wanted = order.filter(file => force || !existsSync(file.path));
  for (const file of order) {
    if (!wanted.includes(file)) console.log(`${shown(file.path)} is there already and stays as it is.`);
  }
  if (wanted.length === 0) return;

  const hasLimiter = await hasCounter();
  const texts = yes || !process.stdin.isTTY ? textsOf(defaultAnswers, hasLimiter) : await asked(hasLimiter);
  for (const file of wanted) {
    await writeAtomically(file.path, file === files.config ? texts.config : texts.secrets, file.mode);
    console.log(`${shown(file.path)} written.`);
  }
  if (next) console.log(`Next${nextPlace(target)}: npx svc migrate, npx svc validate, npx svc serve.`);
}

const textsOf = (answers: typeof defaultAnswers, hasLimiter: boolean) => ({
  config: tomlOf(answers, hasLimiter),
  secrets: secretsOf(answers),
});

/** The questions load what a silent run does not need. */
async function asked(hasLimiter: boolean) {
  // Some terminals say that they have no columns; a question would then stand there letter by letter.
  if (!process.stdout.columns) process.stdout.columns = usualColumns;
  const { interview } = await import('./interview.ts');
  return interview(answers => textsOf(answers, hasLimiter));
}

const nextPlace = (target: string) => (shown(target) === '.' ? '' : `, in ${shown(target)}`);

const shown = (path: string) => relative('.', path) || '.';
