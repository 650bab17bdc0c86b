import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { mailKindOf, mailNames } from '../../src/mail/mails.ts';
import { emptyFolder, svc } from './support.ts';

const kinds = mailNames.map(mailKindOf);

/** Switches on whatever sends emails. */
const everything = {
  ...{ SVC_ENABLE_ADMIN_ROUTER: 'true', SVC_ENABLE_SMS_2FA: 'true', SVC_ENABLE_OAUTH: 'true' },
  ...{ SVC_ENABLE_TOTP: 'true', SVC_MAX_CONSECUTIVE_FAILURES: '100', SVC_NOTIFY_NEW_SIGN_IN: 'true' },
  ...{ SVC_ENUMERATION_SAFE_REGISTRATION: 'true', SVC_DATA_ENCRYPTION_KEY: 'A'.repeat(43) },
  ...{ SVC_MAIL_STORE: 'database', SVC_ENABLE_SESSION_LIST: 'true', SVC_ENABLE_API_KEYS: 'true' },
};

test('svc mail preview writes every kind of email, as HTML and text, with a list of them', async () => {
  const cwd = await emptyFolder();
  const { code, stdout } = await svc(['mail', 'preview'], {
    cwd,
    env: { SVC_APP_NAME: 'Lantern', ...everything },
  });
  expect(code).toBe(0);
  const every = await readdir(join(cwd, 'mail-preview'));
  const files = every.filter(name => name !== 'index.html');
  expect(stdout).toBe(
    `${files.length / 2} emails were written to mail-preview, each as HTML and as text. mail-preview/index.html lists them.\n`,
  );
  const index = await readFile(join(cwd, 'mail-preview/index.html'), 'utf8');
  const listed = [...index.matchAll(/href="([^"]+)"/g)].map(([, name]) => name!);
  expect(listed.toSorted()).toEqual(files.toSorted());
  for (const kind of kinds) {
    expect(files).toContain(`${kind}.html`);
    expect(files).toContain(`${kind}.txt`);
  }
  for (const file of files) {
    const text = await readFile(join(cwd, 'mail-preview', file), 'utf8');
    expect(text).toContain('Lantern');
    expect(text).toMatch(file.endsWith('.html') ? /^<!doctype html>/ : /^Subject: \S.*\n\n\S/);
  }
  // A notice about what somebody else has done reads otherwise.
  const byAdmin = await readFile(join(cwd, 'mail-preview/phone-removed-by-admin.txt'), 'utf8');
  expect(byAdmin).toContain('By: an administrator');
  expect(files).not.toContain('verification-by-admin.txt');
});

test('svc mail preview leaves out what the configuration never sends', async () => {
  const cwd = await emptyFolder();
  await svc(['mail', 'preview'], { cwd });
  const files = await readdir(join(cwd, 'mail-preview'));
  expect(files).toEqual(expect.arrayContaining(['verification.html', 'password-changed-by-cli.html']));
  for (const kind of ['phone-set', 'identity-linked', 'authenticator-added', 'new-sign-in', 'address-taken'])
    expect(files).not.toContain(`${kind}.html`);
  expect(files).not.toContain('password-changed-by-admin.html');
  const named = await svc(['mail', 'preview', 'phone-set'], { cwd });
  expect(named.code).toBe(0);
});

test('svc mail preview writes one kind, with the templates of the host, where it is told, and again', async () => {
  const cwd = await emptyFolder();
  await mkdir(join(cwd, 'views/mail'), { recursive: true });
  const template = join(cwd, 'views/mail/verification.text.liquid');
  await writeFile(template, 'Welcome. {{ url }} {{ lifetime }}');
  await writeFile(join(cwd, 'svc.toml'), 'extra_template_dirs = ["views"]\n');
  const args = ['mail', 'preview', 'verification', '--output', 'out/mails'];
  const first = await svc(args, { cwd });
  expect(first.stdout).toBe('1 email was written to out/mails, each as HTML and as text.\n');
  expect((await readdir(join(cwd, 'out/mails'))).sort()).toEqual(['verification.html', 'verification.txt']);
  const written = () => readFile(join(cwd, 'out/mails/verification.txt'), 'utf8');
  expect(await written()).toMatch(/^Subject: .*\n\nWelcome\. https:\/\/app\.example\S+ 1 hour\n$/);
  await writeFile(template, 'Hello.');
  expect((await svc(args, { cwd })).code).toBe(0);
  expect(await written()).toMatch(/\n\nHello\.\n$/);
});

test('svc mail preview says in clear lines what is wrong, and writes nothing', async () => {
  const cwd = await emptyFolder();
  const unknown = await svc(['mail', 'preview', 'passwordReset'], { cwd });
  expect(unknown).toMatchObject({ code: 1, stdout: '' });
  expect(unknown.stderr).toContain(
    'There is no kind of email passwordReset. The kinds are: verification, password-reset,',
  );
  expect(await readdir(cwd)).toEqual([]);

  await mkdir(join(cwd, 'views/mail'), { recursive: true });
  await writeFile(join(cwd, 'views/mail/verification.text.liquid'), '{% if %');
  await writeFile(join(cwd, 'svc.toml'), 'extra_template_dirs = ["views"]\n');
  const broken = await svc(['mail', 'preview'], { cwd });
  expect(broken.code).toBe(1);
  expect(broken.stderr).toMatch(/^ {2}\S*verification\.text\.liquid: line 1/m);
  expect(await readdir(cwd)).toEqual(expect.not.arrayContaining(['mail-preview']));

  await writeFile(join(cwd, 'taken'), 'a file');
  const taken = await svc(['mail', 'preview', 'verification', '--output', 'taken', '--config', 'none.toml'], {
    cwd,
  });
  expect(taken.stderr).toContain('none.toml: file: does not exist');
  await writeFile(join(cwd, 'svc.toml'), '');
  const blocked = await svc(['mail', 'preview', 'verification', '--output', 'taken'], { cwd });
  expect(blocked).toMatchObject({ code: 1, stdout: '' });
  expect(blocked.stderr).toContain("taken can't be written (EEXIST).");
});
