import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { ConfigError } from '../errors.ts';
import { features } from '../feature-parts.ts';
import { isInstalled } from '../optional.ts';
import { defaultAnswers } from './answers.ts';
import { CommandError } from './errors.ts';
import { type Ignored, ignoreFiles } from './git-ignore.ts';
import { type Installed, secretsOf, tomlOf } from './init-files.ts';
import { mergeSecrets, mergeToml } from './merge-files.ts';
import { writeAtomically } from './write-file.ts';

interface InitOptions {
  target: string;
  force?: boolean;
  yes?: boolean;
  assurance?: string;
  next: boolean;
}

export function addInit(program: Command): void {
  program
    .command('init')
    .description('write svc.toml and svc.secrets.env, with new secrets')
    .option('--target <dir>', 'the folder to write them to', '.')
    .option(
      '--force',
      'replace existing files: every token issued so far becomes invalid, and svc.secrets.env.old keeps the former secrets',
    )
    .option('--yes', 'ask nothing and use the defaults')
    .option(
      '--assurance <level>',
      'write what a level of OWASP ASVS or NIST SP 800-63B needs: asvs-1, asvs-2, asvs-3, aal1 or aal2',
    )
    .addOption(new Option('--no-next', 'do not print the next steps').hideHelp())
    .action(init);
}

const configName = 'svc.toml';
const secretsName = 'svc.secrets.env';

/** The width assumed for a terminal that does not report its own, in columns. */
const usualColumns = 80;

async function init({ target, force = false, yes = false, assurance, next }: InitOptions): Promise<void> {
  const level = assurance === undefined ? null : await levelOf(assurance);
  if (!existsSync(target)) throw new CommandError(`The folder ${target} does not exist. Create it first.`);
  const files = {
    config: { path: join(target, configName), mode: 0o644 },
    // The secrets are written first: an interruption then leaves only a file that nothing uses yet.
    secrets: { path: join(target, secretsName), mode: 0o600 },
  };
  const order = [files.secrets, files.config];
  const wanted = order.filter(file => force || !existsSync(file.path));
  for (const file of order) {
    if (!wanted.includes(file)) console.log(`${shown(file.path)} already exists and was not changed.`);
  }
  if (wanted.length === 0) return keepOutOfGit(target);

  const installed: Installed = { limiter: isInstalled('rate-limiter-flexible'), ...installedForFeatures() };
  const made = { installed, isHost: isInPackage(target), level };
  const texts = yes || !process.stdin.isTTY ? textsOf(defaultAnswers, made) : await asked(made);
  const former = wanted.includes(files.secrets) ? await keepFormer(files.secrets.path) : [];
  for (const file of wanted) {
    await writeAtomically(file.path, file === files.config ? texts.config : texts.secrets, file.mode);
    console.log(`${shown(file.path)} written.`);
  }
  await keepOutOfGit(target, former);
  if (level && texts.left.length > 0) {
    console.log(`Left for you, because only you know the value: ${texts.left.join(', ')}.`);
  }
  if (next) console.log(nextSteps(target));
}

/** Keeps a secrets file that is about to be replaced: no other key decrypts what is stored. Returns the file it is in. */
async function keepFormer(path: string): Promise<Ignored[]> {
  if (!existsSync(path)) return [];
  let kept = `${path}.old`;
  for (let number = 2; existsSync(kept); number++) kept = `${path}.old.${number}`;
  await writeAtomically(kept, await readFile(path, 'utf8'), 0o600);
  console.log(
    `${shown(kept)} keeps the former secrets: set SVC_DATA_ENCRYPTION_KEY_PREVIOUS to its SVC_DATA_ENCRYPTION_KEY, so that stored data stay readable.`,
  );
  return [{ path: kept }];
}

/** @param former the files that keep former secrets */
async function keepOutOfGit(target: string, former: Ignored[] = []): Promise<void> {
  const database = await databaseFileOf(target);
  const added = await ignoreFiles([{ path: join(target, secretsName) }, ...former, ...database]);
  for (const [path, lines] of added) {
    const must = lines.length > 1 ? 'they' : 'it';
    console.log(`${shown(path)}: ${lines.join(' and ')} added, as ${must} must not be committed.`);
  }
}

/** The endings of the files that SQLite writes beside its own. */
const sqliteEndings = ['-wal', '-shm', '-journal'];

/** Returns the file of the database; nothing for a server, or where the configuration is not valid. */
async function databaseFileOf(target: string): Promise<Ignored[]> {
  const [{ loadConfig }, { isInMemory }] = await Promise.all([
    import('../config/load.ts'),
    import('../config/database-url.ts'),
  ]);
  try {
    const database = loadConfig({ cwd: target }).config.databaseUrl.parsed();
    if (database.backend !== 'sqlite' || isInMemory(database)) return [];
    return [{ path: resolve(target, database.path), endings: sqliteEndings }];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return [];
  }
}

/** Returns the next steps; in a folder with a package.json, Gatehouse may be embedded in that application. */
function nextSteps(target: string): string {
  const place = shown(target) === '.' ? '' : `, in ${shown(target)}`;
  if (!isInPackage(target))
    return `Next${place}: npx gatehouse-auth migrate, npx gatehouse-auth validate, npx gatehouse-auth serve.`;
  const files = {
    configFile: join(shown(target), configName),
    secretsFile: join(shown(target), secretsName),
  };
  const named = Object.entries(files).map(([name, path]) => `${name}: '${path}'`);
  const call = `createGatehouse(${place === '' ? '' : `{ ${named.join(', ')} }`})`;
  return [
    `Next${place}: npx gatehouse-auth migrate, npx gatehouse-auth validate.`,
    `Then mount it in your application: const gatehouse = await ${call};`,
    'node_modules/gatehouse-auth/docs/embedding.md shows the rest. Or run it by itself: npx gatehouse-auth serve.',
  ].join('\n');
}

/** Returns whether there is an application that may embed Gatehouse. */
const isInPackage = (target: string): boolean =>
  [target, '.'].some(folder => existsSync(join(folder, 'package.json')));

/** The settings of a level of assurance. */
interface LevelSettings {
  name: string;
  apply(config: string, baseUrl: string): { text: string; left: string[] };
}

/** Loaded only where a level was named. */
async function levelOf(text: string): Promise<LevelSettings> {
  const [{ toLevel }, { profileOf }, { withProfile }] = await Promise.all([
    import('./assurance.ts'),
    import('../assurance/profile.ts'),
    import('./profile-toml.ts'),
  ]);
  const profile = profileOf(toLevel(text));
  return { name: text, apply: (config, baseUrl) => withProfile(config, profile, baseUrl) };
}

/** Where the files are made: which packages are there, whether an application is, and for which level. */
interface Place {
  installed: Installed;
  isHost: boolean;
  level: LevelSettings | null;
}

function textsOf(answers: typeof defaultAnswers, { installed, isHost, level }: Place) {
  const config = answers.providers.reduce(mergeToml, tomlOf(answers, installed, isHost));
  const { text, left } = level?.apply(config, answers.baseUrl) ?? { text: config, left: [] };
  return { config: text, left, secrets: answers.providers.reduce(mergeSecrets, secretsOf(answers)) };
}

/** The modules for the questions are loaded only here: a run without questions does not need them. */
async function asked(place: Place) {
  // Some terminals report zero columns; a question would then be printed one letter per line.
  if (!process.stdout.columns) process.stdout.columns = usualColumns;
  const { interview } = await import('./interview.ts');
  return interview(answers => textsOf(answers, place), place.level?.name);
}

/** Returns by the names of features whether their packages are installed. */
const installedForFeatures = () =>
  Object.fromEntries(
    Object.entries(features).flatMap(([name, feature]) =>
      feature.package ? [[name, isInstalled(feature.package.name)]] : [],
    ),
  );

const shown = (path: string) => relative('.', path) || '.';
