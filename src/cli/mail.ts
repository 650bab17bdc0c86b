import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import { ConfigError } from '../errors.ts';
import { CommandError } from './errors.ts';
import { escaped } from './output.ts';
import { type FileOptions, loadSettings, withFiles } from './settings.ts';

interface PreviewOptions extends FileOptions {
  output: string;
  locale?: string;
}

/** Adds the commands about emails. */
export function addMail(program: Command): void {
  const mail = program.command('mail').description('look at the emails');
  withFiles(mail.command('preview'))
    .description('write every email that the configuration sends, or one kind, to a folder, with sample data')
    .argument('[kind]', 'the kind of email: password-reset')
    .option(
      '--output <dir>',
      'the folder; it is created, and files of the same names are replaced',
      'mail-preview',
    )
    .option('--locale <tag>', 'the language, one of `locales`; that of `default_locale` by default')
    .action(preview);
}

/** Writes `<kind>.html` and `<kind>.txt`; of a notice also those of acts that an administrator or an operator has done. */
async function preview(
  kind: string | undefined,
  { output, locale, ...files }: PreviewOptions,
): Promise<void> {
  const { config } = await loadSettings(files);
  const { createMessages } = await import('../mail/messages.ts');
  const { createMailTemplates } = await import('../mail/templates.ts');
  const { isPossible } = await import('../mail/possible.ts');
  const { sampleMails } = await import('../mail/samples.ts');
  const { readTemplateDirs, templateProblems } = await import('../templates.ts');
  const { createLanguages } = await import('../words/languages.ts');
  const languages = createLanguages(config);
  if (locale !== undefined && !languages.find(locale))
    throw new CommandError(`locales does not have ${locale}. It has: ${languages.offered.join(', ')}.`);
  const words = languages.of(locale);
  const samples = sampleMails(createMessages({ templates: createMailTemplates(config), config, words }));
  // A kind that is named is written even where the configuration sends none.
  const chosen = samples.filter(sample =>
    kind === undefined ? isPossible(config, sample.mail, sample.by) : sample.kind === kind,
  );
  if (chosen.length === 0) {
    const kinds = [...new Set(samples.map(sample => sample.kind))].join(', ');
    throw new CommandError(`There is no kind of email ${kind}. The kinds are: ${kinds}.`);
  }
  const { problems } = readTemplateDirs(config.extraTemplateDirs);
  problems.push(...(await templateProblems(chosen.map(({ write }) => write))));
  if (problems.length > 0) throw new ConfigError(problems);

  const rows: string[] = [];
  try {
    await mkdir(output, { recursive: true });
    for (const { name, write } of chosen) {
      const { subject, text, html } = await write();
      await writeFile(join(output, `${name}.html`), html);
      await writeFile(join(output, `${name}.txt`), `Subject: ${subject}\n\n${text}`);
      rows.push(
        `<li><a href="${name}.html">${escaped(subject)}</a> (${name}, <a href="${name}.txt">text</a>)</li>`,
      );
    }
    if (kind === undefined) await writeFile(join(output, indexName), indexOf(config.appName, rows));
  } catch (error) {
    const { code, path = output } = error as NodeJS.ErrnoException;
    throw new CommandError(`${path} can't be written (${code}).`);
  }
  const count = chosen.length === 1 ? '1 email was' : `${chosen.length} emails were`;
  const index = kind === undefined ? ` ${join(output, indexName)} lists them.` : '';
  console.log(`${count} written to ${output}, each as HTML and as text.${index}`);
}

const indexName = 'index.html';

/** Returns a page with a link to each email. */
const indexOf = (appName: string, rows: readonly string[]): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Emails of ${escaped(appName)}</title>
<h1>Emails of ${escaped(appName)}</h1>
<ul>
${rows.join('\n')}
</ul>
</html>
`;
