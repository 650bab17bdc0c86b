import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import type { Command } from 'commander';
import type { Checkup } from '../words/checkup.ts';
import type { LocaleSettings } from '../words/local-files.ts';
import { CommandError } from './errors.ts';
import { oneLine } from './output.ts';
import { type FileOptions, loadSettings, withFiles } from './settings.ts';

/** Adds the commands of translators (CONTRACT §20.8). */
export function addLocale(program: Command): void {
  const locale = program.command('locale').description('translate what people read, and check translations');
  locale
    .command('new')
    .description('write the file of a language, with every message in English and what helps translators')
    .argument('<tag>', 'the language: pt-BR')
    .option('--output <dir>', 'the folder; it is created', '.')
    .action(create);
  withFiles(locale.command('check'))
    .description('check files of messages; those of `locales` when none is named')
    .argument('[file...]', 'files named by their languages: locales/pt-BR.arb')
    .option('--json', 'print one JSON document')
    .action(check);
  withFiles(locale.command('list'))
    .description('list the languages that are shipped or configured')
    .action(list);
}

async function create(given: string, { output }: { output: string }): Promise<void> {
  const { canonicalTag } = await import('../words/tags.ts');
  const { newLanguage } = await import('../words/checkup.ts');
  const tag = canonicalTag(given);
  if (tag === null) throw new CommandError(`${given} is not the tag of a language such as pt-BR.`);
  const path = join(output, `${tag}.arb`);
  try {
    await mkdir(output, { recursive: true });
    await writeFile(path, newLanguage(tag), { flag: 'wx' });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw new CommandError(`${path} exists; nothing was written.`);
    throw new CommandError(`${path} can't be written (${code}).`);
  }
  console.log(`${path} was written. Translate it, run \`svc locale check ${path}\`, and add the folder`);
  console.log(`to locale_dirs and "${tag}" to locales.`);
}

/** A file of messages, and whether it replaces single messages of the one that is shipped. */
interface Source {
  path: string;
  tag: string;
  isPartial: boolean;
}

/** Returns the files of a language: the one that is shipped, and those of the host. */
async function sourcesOf(tag: string, { localeDirs }: LocaleSettings): Promise<Source[]> {
  const { localFiles, shippedPath } = await import('../words/local-files.ts');
  const { shippedTags } = await import('../words/tags.ts');
  const isShipped = shippedTags().includes(tag);
  return [
    ...(isShipped ? [{ path: shippedPath(tag), tag, isPartial: false }] : []),
    ...localFiles(tag, localeDirs).map(path => ({ path, tag, isPartial: isShipped })),
  ];
}

/** @throws {CommandError} where a file cannot be read */
async function checkupOf({ path, tag, isPartial }: Source): Promise<Checkup & { path: string }> {
  const { checkLanguage } = await import('../words/checkup.ts');
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(`${path} can't be read (${error.code}).`);
  });
  return { path, ...checkLanguage(tag, text, { isPartial }) };
}

async function check(paths: string[], options: FileOptions & { json?: boolean }): Promise<void> {
  const { canonicalTag, shippedTags } = await import('../words/tags.ts');
  const { shippedPath } = await import('../words/local-files.ts');
  const named = paths.map((path): Source => {
    const tag = basename(path, '.arb');
    if (canonicalTag(tag) !== tag)
      throw new CommandError(`${path} is not named by the tag of a language, such as pt-BR.arb.`);
    return { path, tag, isPartial: shippedTags().includes(tag) && resolve(path) !== shippedPath(tag) };
  });
  const sources = named.length > 0 ? named : await configured(options);
  const files = await Promise.all(sources.map(checkupOf));
  const isOk = files.every(({ findings }) => !findings.some(({ breaks }) => breaks));
  if (options.json) console.log(JSON.stringify({ ok: isOk, files }, null, 2));
  else for (const file of files) print(file);
  if (!isOk) process.exitCode = 1;
}

async function configured(options: FileOptions): Promise<Source[]> {
  const { config } = await loadSettings(options);
  return (await Promise.all(config.locales.map(tag => sourcesOf(tag, config)))).flat();
}

function print({ path, state, coverage, findings }: Checkup & { path: string }): void {
  const broken = findings.filter(({ breaks }) => breaks).length;
  const notes = findings.length - broken;
  console.log(`${path}: ${state}, ${coverage} % translated; ${broken} would break, ${notes} to look at`);
  for (const { breaks, id, column, message } of findings)
    console.log(oneLine(`  ${breaks ? 'breaks' : 'note  '} ${id ?? 'file'}:${column}: ${message}`));
}

async function list(options: FileOptions): Promise<void> {
  const { config } = await loadSettings(options);
  const { createLanguages } = await import('../words/languages.ts');
  const { shippedTags } = await import('../words/tags.ts');
  const tags = [...new Set([...config.locales, ...shippedTags()])];
  const all = createLanguages({ ...config, locales: tags }).list();
  for (const { tag, name, direction } of all) {
    const files = await Promise.all((await sourcesOf(tag, config)).map(checkupOf));
    const [file] = files;
    const use = [
      ...(config.locales.includes(tag) ? ['in locales'] : []),
      ...(config.defaultLocale === tag ? ['default'] : []),
    ].join(', ');
    const parts = [tag.padEnd(8), name.padEnd(20), direction, (file?.state ?? '').padEnd(8)];
    console.log(`${parts.join('  ')}  ${`${file?.coverage ?? 0} %`.padStart(5)}  ${use}`.trimEnd());
  }
}
