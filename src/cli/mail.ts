import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import { ConfigError } from '../errors.ts';
import { CommandError } from './errors.ts';
import { type FileOptions, loadSettings, withFiles } from './settings.ts';

interface PreviewOptions extends FileOptions {
  output: string;
}

/** Adds the commands about emails. */
export function addMail(program: Command): void {
  const mail = program.command('mail').description('look at the emails');
  withFiles(mail.command('preview'))
    .description('write every kind of email, or one, to a folder, as HTML and text with sample data')
    .argument('[kind]', 'the kind of email: password-reset')
    .option(
      '--output <dir>',
      'the folder; it is created, and files of the same names are replaced',
      'mail-preview',
    )
    .action(preview);
}

/** Writes `<kind>.html` and `<kind>.txt`; of a notice also those of acts that an administrator or an operator has done. */
async function preview(kind: string | undefined, { output, ...files }: PreviewOptions): Promise<void> {
  const { config } = await loadSettings(files);
  const { createMessages } = await import('../mail/messages.ts');
  const { createMailTemplates } = await import('../mail/templates.ts');
  const { sampleMails } = await import('../mail/samples.ts');
  const { readTemplateDirs, templateProblems } = await import('../templates.ts');
  const samples = sampleMails(createMessages({ templates: createMailTemplates(config), config }));
  const chosen = samples.filter(sample => kind === undefined || sample.kind === kind);
  if (chosen.length === 0) {
    const kinds = [...new Set(samples.map(sample => sample.kind))].join(', ');
    throw new CommandError(`There is no kind of email ${kind}. The kinds are: ${kinds}.`);
  }
  const { problems } = readTemplateDirs(config.extraTemplateDirs);
  problems.push(...(await templateProblems(chosen.map(({ write }) => write))));
  if (problems.length > 0) throw new ConfigError(problems);

  try {
    await mkdir(output, { recursive: true });
    for (const { name, write } of chosen) {
      const { subject, text, html } = await write();
      await writeFile(join(output, `${name}.html`), html);
      await writeFile(join(output, `${name}.txt`), `Subject: ${subject}\n\n${text}`);
    }
  } catch (error) {
    const { code, path = output } = error as NodeJS.ErrnoException;
    throw new CommandError(`${path} can't be written (${code}).`);
  }
  const count = chosen.length === 1 ? '1 email was' : `${chosen.length} emails were`;
  console.log(`${count} written to ${output}, each as HTML and as text.`);
}
