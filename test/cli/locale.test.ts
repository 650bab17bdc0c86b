import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { emptyFolder, svc } from './support.ts';

test('a host makes a language of its own: a file, a check of it, and an email in it', async () => {
  const cwd = await emptyFolder();
  const made = await svc(['locale', 'new', 'pt-br', '--output', 'locales'], { cwd });
  expect(made).toMatchObject({ code: 0, stdout: expect.stringContaining('locales/pt-BR.arb was written') });
  const path = join(cwd, 'locales/pt-BR.arb');
  const file = JSON.parse(await readFile(path, 'utf8'));
  expect(file).toMatchObject({ '@@locale': 'pt-BR', '@@x-state': 'draft', page_sign_in: 'Sign in' });
  expect(file['@unit_moment'].description).toMatch(/UTC/);
  expect((await svc(['locale', 'new', 'pt-BR', '--output', 'locales'], { cwd })).code).toBe(1);

  const untranslated = await svc(['locale', 'check', path, '--json'], { cwd });
  expect(untranslated.code).toBe(0);
  const report = JSON.parse(untranslated.stdout);
  expect(report).toMatchObject({ ok: true, files: [{ tag: 'pt-BR', state: 'draft' }] });
  expect(report.files[0].coverage).toBeLessThan(5);

  // A file of a stranger changes nothing in the terminal of the host.
  await writeFile(path, JSON.stringify({ '@@locale': 'pt-BR', 'page_\u001b[2J\u202e': 'x' }));
  const hostile = await svc(['locale', 'check', path], { cwd });
  expect(hostile.stdout).toContain('page_ [2J ');
  for (const changing of ['\u001b', '\u202e']) expect(hostile.stdout).not.toContain(changing);

  const translated = { '@@locale': 'pt-BR', '@@x-state': 'draft', mail_verification_subject: 'Confirme <x>' };
  await writeFile(path, JSON.stringify({ ...translated, page_sign_in: 'Entrar', page_nothing: 'x' }));
  const wrong = await svc(['locale', 'check', path], { cwd });
  expect(wrong.code).toBe(1);
  expect(wrong.stdout).toContain('breaks page_nothing:');
  const env = { SVC_LOCALES: 'en,pt-BR', SVC_LOCALE_DIRS: 'locales' };
  const refused = await svc(['locale', 'list'], { cwd, env });
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringMatching(/pt-BR\.arb: page_nothing: column \d+/),
  ]);

  await writeFile(
    path,
    JSON.stringify({ '@@locale': 'pt-BR', '@@x-state': 'draft', unit_hours: '{n} horas' }),
  );
  const { stdout } = await svc(['locale', 'list'], { cwd, env });
  expect(stdout).toMatch(/^en +English +ltr +reviewed +100 % +in locales, default$/m);
  expect(stdout).toMatch(/^pt-BR +Português \(Brasil\) +ltr +draft +0 % +in locales$/m);
  expect(stdout).toMatch(/^ar +العربية +rtl +draft/m);
  const preview = await svc(['mail', 'preview', 'verification', '--locale', 'pt-BR'], { cwd, env });
  expect(preview.code).toBe(0);
  const mail = await readFile(join(cwd, 'mail-preview/verification.html'), 'utf8');
  expect(mail).toContain('<html lang="pt-BR"');
  const unknown = await svc(['mail', 'preview', '--locale', 'de'], { cwd, env });
  expect(unknown.stderr).toContain('locales does not have de. It has: en, pt-BR.');
});
