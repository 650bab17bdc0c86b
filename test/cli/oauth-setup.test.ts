import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { parse } from '@decimalturn/toml-patch';
import { expect, onTestFinished, test } from 'vitest';
import { mergeSecrets, mergeToml } from '../../src/cli/merge-files.ts';
import { showTomlChange } from '../../src/cli/show-change.ts';
import { loadConfig } from '../../src/config/load.ts';
import { built } from '../support/built.ts';
import { emptyFolder, svc } from './support.ts';

const isWindows = process.platform === 'win32';
const [clientId, clientSecret] = ['123-abc.apps.example.com', 'GOCSPX-$&-secret'];
const given = { clientId, clientSecret, autoLink: false };
const credentials = [`--client-id=${clientId}`, `--client-secret=${clientSecret}`];

const toml = `# The settings of our shop.
app_name = "Shop"   # shown everywhere

enable_oauth = false # not yet

[email]
backend = 'smtp'
smtp_host = "mail.example" # ask Ann

[urls]
# nothing yet
`;
const secrets = `# Keep this file to yourself.\nSVC_JWT_SECRET=${'x'.repeat(40)}\n`;

async function folderWith(files: { toml?: string; secrets?: string } = {}): Promise<string> {
  const cwd = await emptyFolder();
  await writeFile(join(cwd, 'svc.toml'), files.toml ?? toml);
  await writeFile(join(cwd, 'svc.secrets.env'), files.secrets ?? secrets, { mode: 0o600 });
  return cwd;
}

const read = async (cwd: string) => ({
  toml: await readFile(join(cwd, 'svc.toml'), 'utf8'),
  secrets: await readFile(join(cwd, 'svc.secrets.env'), 'utf8'),
});
const modeOf = async (cwd: string, name: string) => (await stat(join(cwd, name))).mode & 0o777;
const setUp = (cwd: string, ...args: string[]) => svc(['oauth', 'setup', '--headless', ...args], { cwd });

/** The lines of a text that are not in another, in their order. */
const linesBeside = (text: string, other: string) => {
  const present = new Set(other.split('\n'));
  return text.split('\n').filter(line => !present.has(line));
};

test('the merge changes no other line of a plain file, and keeps its order, comments and line endings', () => {
  for (const end of ['\n', '\r\n']) {
    const before = toml.replaceAll('\n', end);
    const after = mergeToml(before, { ...given, autoLink: true });
    expect(linesBeside(before, after)).toEqual([`enable_oauth = false # not yet${end.slice(0, -1)}`]);
    expect(
      linesBeside(after, before)
        .map(line => line.trim())
        .filter(Boolean),
    ).toEqual([
      'enable_oauth = true # not yet',
      '[oauth]',
      `google_client_id = "${clientId}"`,
      'auto_link_verified_emails = true',
    ]);
    if (end === '\r\n') expect(after).not.toMatch(/[^\r]\n/);
    else expect(after).not.toContain('\r');
    // Doing it again changes nothing.
    expect(mergeToml(after, { ...given, autoLink: true })).toBe(after);
  }
});

test('the merge keeps other keys, comments and their order, however a file is laid out', () => {
  const texts = [
    'app_name   =  "Acme"  \n\n# about mail\n[ email ]\t# here\n  backend = "console"\t\n   \n',
    'app_name = "Acme"\r\nport = 1\r\n[oauth] \r\n# nothing yet\r\n\r\n# the pages\r\n["urls"]\r\nlogin = "https://a.example"',
    '# nothing but this',
    '\uFEFFport = 1\r\n[email]\r\nbackend = "console"',
    '',
  ];
  const added = /^(?:\[oauth\]|(?:enable_oauth|google_client_id|auto_link_verified_emails)=.*)$/;
  /** The lines that say something, and were not added; spaces do not count. */
  const contentOf = (text: string) =>
    text
      .split(/\r?\n/)
      .map(line => line.replaceAll(/[ \t]/g, ''))
      .filter(line => line !== '' && !added.test(line));
  for (const before of texts) {
    const after = mergeToml(before, given);
    expect(contentOf(after)).toEqual(contentOf(before));
    expect(after.startsWith('\uFEFF')).toBe(before.startsWith('\uFEFF'));
    if (before.includes('\r')) expect(after).not.toMatch(/[^\r]\n/);
    else expect(after).not.toContain('\r');
    const { oauth, ...others } = parse(after) as Record<string, unknown>;
    expect(oauth).toEqual({ google_client_id: clientId, auto_link_verified_emails: false });
    const { oauth: _, ...othersBefore } = parse(before) as Record<string, unknown>;
    expect(others).toEqual({ ...othersBefore, enable_oauth: true });
    expect(mergeToml(after, given)).toBe(after);
  }
});

test('the merge into a table that is there keeps what else is in it, and what follows', () => {
  const before = `[oauth] # the provider\ngoogle_client_id = "old" # by Bob\nstate_ttl_seconds = 60\n\n[sms]\nbackend = "console"\n`;
  const after = mergeToml(before, given);
  expect(after).toContain(`google_client_id = "${clientId}" # by Bob\nstate_ttl_seconds = 60\n`);
  expect(after).toContain('[oauth] # the provider\n');
  expect(after).toContain('[sms]\nbackend = "console"\n');
});

test('the secret is added at the end or replaced where it stands, in the line endings of the file', () => {
  const line = `SVC_OAUTH__GOOGLE_CLIENT_SECRET=${clientSecret}`;
  expect(mergeSecrets('', given)).toBe(`${line}\n`);
  expect(mergeSecrets('A=1', given)).toBe(`A=1\n${line}\n`);
  expect(mergeSecrets('A=1\r\n', given)).toBe(`A=1\r\n${line}\r\n`);
  const between = (value: string) => `A=1\r\n${value}\r\n# b\r\n`;
  expect(mergeSecrets(between('SVC_OAUTH__GOOGLE_CLIENT_SECRET=old'), given)).toBe(between(line));
  // Of several the last one counts.
  const twice = (value: string) => `${value}\nA=1\n${value}\n`;
  expect(mergeSecrets(twice('SVC_OAUTH__GOOGLE_CLIENT_SECRET=old'), given)).toBe(twice(line));
  expect(mergeSecrets('# SVC_OAUTH__GOOGLE_CLIENT_SECRET=old\n', given)).toBe(
    `# SVC_OAUTH__GOOGLE_CLIENT_SECRET=old\n${line}\n`,
  );
});

test('setup writes both files, keeps the rights of the one and the secrets to their owner', async () => {
  const cwd = await folderWith();
  await chmod(join(cwd, 'svc.toml'), 0o640);
  await chmod(join(cwd, 'svc.secrets.env'), 0o644);
  const outcome = await setUp(cwd, ...credentials, '--auto-link');
  expect(outcome).toMatchObject({ code: 0, stdout: expect.stringContaining('Written.') });
  expect(outcome.stdout + outcome.stderr).not.toContain(clientSecret);
  const files = await read(cwd);
  expect(files).toEqual({
    toml: mergeToml(toml, { ...given, autoLink: true }),
    secrets: mergeSecrets(secrets, given),
  });
  expect(files.toml).not.toContain(clientSecret);
  if (!isWindows) {
    expect(await modeOf(cwd, 'svc.toml')).toBe(0o640);
    expect(await modeOf(cwd, 'svc.secrets.env')).toBe(0o600);
  }
  const { config } = loadConfig({ cwd, env: {} });
  expect(config.oauth.googleClientSecret!.reveal()).toBe(clientSecret);
  expect(config.oauth).toMatchObject({ googleClientId: clientId, existingEmailPolicy: 'auto_link_verified' });
  expect(config.enableOauth).toBe(true);
});

test.skipIf(isWindows)('a file behind a link is written where it is, and the link stays', async () => {
  const [cwd, target] = [await emptyFolder(), await folderWith()];
  for (const name of ['svc.toml', 'svc.secrets.env']) await symlink(join(target, name), join(cwd, name));
  expect((await setUp(cwd, ...credentials)).code).toBe(0);
  expect((await read(target)).secrets).toContain(clientSecret);
  expect(await read(cwd)).toEqual(await read(target));
});

test('a dry run writes nothing, and shows the change without any secret', async () => {
  const old = 'an-old-client-secret';
  const cwd = await folderWith({ secrets: `${secrets}SVC_OAUTH__GOOGLE_CLIENT_SECRET=${old}\n` });
  const before = await read(cwd);
  const { code, stdout, stderr } = await setUp(cwd, ...credentials, '--dry-run');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain('+ enable_oauth = true # not yet');
  expect(stdout).toContain('+ SVC_OAUTH__GOOGLE_CLIENT_SECRET=<hidden>');
  expect(stdout).toContain('Nothing was written.');
  for (const secret of [clientSecret, old, 'x'.repeat(40)]) expect(stdout).not.toContain(secret);
  expect(await read(cwd)).toEqual(before);
});

const old = 'GOCSPX-of-last-year';
const multiline = `"""
first-${old}
second-${old}"""`;

test.each([
  ['an inline table', `oauth = { google_client_id = "old", google_client_secret = "${old}" }\n`],
  ['an inline table with a comment', `oauth = { google_client_secret = '${old}' } # was ${old}: ask Ann\n`],
  [
    'inline tables in one',
    `email = { smtp_password = "${old}" }\noauth = { google_client_secret = "${old}" }\n`,
  ],
  ['quoted names', `"oauth" = { "google_client_secret" = "${old}", 'google_client_id' = "old" }\n`],
  [
    'an inline table of several lines',
    `oauth = { google_client_secret = ${multiline}, google_client_id = "old" }\n`,
  ],
  ['dotted names', `oauth.google_client_secret = "${old}"\noauth.google_client_id = "old"\n`],
  ['a table', `[oauth]\ngoogle_client_secret = "${old}"\ngoogle_client_id = "old"\n`],
])('the preview shows no secret of %s', async (_, text) => {
  // A changed line must not be shown to a reader over a shoulder or of a pipeline's log.
  for (const written of [text, text.replaceAll('\n', '\r\n'), `\uFEFF${text}`]) {
    const { code, stdout } = await setUp(await folderWith({ toml: written }), ...credentials, '--dry-run');
    expect(code).toBe(0);
    expect(stdout).toContain(clientId);
    expect(stdout).not.toContain(old);
    expect(stdout).not.toContain(clientSecret);
  }
});

test.each([
  ['a field that is a secret', `jwt_secret = "${old}"`],
  ['an address with a password', `database_url = "postgresql://svc:${old}@db/svc"`],
  ['a mistyped name', `[oauth]\ngoogle_clent_secret = "${old}"`],
  [
    'arrays of tables',
    `[[oauth]]\ngoogle_client_secret = "${old}"\n[[oauth]]\nother = ["${old}", { a = '${old}' }]`,
  ],
  ['a table within a table', `[oauth.providers.acme]\nclient_secret = "${old}"`],
  [
    'strings of several lines',
    `jwt_secret = ${multiline}\n[email]\nsmtp_password = ${multiline} # two\nses_region = "x"`,
  ],
  ['an array of several lines', `jwt_secret = [ # in it\n  "${old}", # ${old} = here\n]`],
  [
    'a comment',
    `app_name = "Shop" # jwt_secret = ${old}\n# google_client_secret = "${old}"\n# the password is ${old}`,
  ],
])('no secret of %s is in the lines of a change', (_, text) => {
  const lines = showTomlChange('svc.toml', text, '').split('\n');
  expect(lines.join('\n')).not.toContain(old);
  expect(lines.join('\n')).toContain('<hidden>');
  // Each line still stands for itself.
  expect(lines).toHaveLength(1 + text.split('\n').length);
});

test('the lines of a change show what is no secret as it stands', () => {
  const text = `app_name = "Shop 🐈" # ours\ncors_origins = ["https://a.example", "https://b.example"] # both\n[email]\nsmtp_host = "mail.example"`;
  const shown = text.split('\n').map(line => `- ${line}`);
  expect(showTomlChange('svc.toml', text, '').split('\n')).toEqual(['svc.toml:', ...shown]);
});

test('a table that is written as a list is said to be wrong, and nothing is written', async () => {
  const cwd = await folderWith({ toml: `[[oauth]]\ngoogle_client_secret = "${old}"\n` });
  const before = await read(cwd);
  const { code, stdout, stderr } = await setUp(cwd, ...credentials);
  expect([code, stdout, stderr]).toEqual([1, '', 'oauth must be a table: write [oauth].\n']);
  expect(await read(cwd)).toEqual(before);
});

test('a missing or impossible value is one clear line, and nothing is written', async () => {
  const cwd = await folderWith();
  for (const [args, line] of [
    [[], /client id is missing.*--client-id/],
    [[credentials[0]!], /client secret is missing.*--client-secret/],
    [[credentials[0]!, '--client-secret= '], /client secret is missing/],
    [[credentials[0]!, '--client-secret=a\nSVC_JWT_SECRET=b'], /client secret contains/],
    [['--client-id=a"b', credentials[1]!], /client id contains/],
  ] as const) {
    const { code, stdout, stderr } = await setUp(cwd, ...args);
    expect(code).toBeGreaterThan(0);
    expect(stderr.trim()).toMatch(line);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(stdout).toBe('');
  }
  expect(await read(cwd)).toEqual({ toml, secrets });
  const none = await setUp(await emptyFolder(), ...credentials);
  expect(none.code).toBeGreaterThan(0);
  expect(none.stderr).toContain('svc init');
  const broken = await setUp(await folderWith({ toml: 'a = \n' }), ...credentials);
  expect(broken.code).toBeGreaterThan(0);
  expect(broken.stderr).toContain('is not valid TOML');
});

test('a linking policy that would contradict the one that stands there is refused', async () => {
  const other = '[oauth]\nexisting_email_policy = "create_new"\n';
  const cwd = await folderWith({ toml: other });
  const refused = await setUp(cwd, ...credentials, '--auto-link');
  expect(refused.code).toBeGreaterThan(0);
  expect(refused.stderr.trim()).toMatch(/^oauth\.existing_email_policy is "create_new", which contradicts/);
  expect((await read(cwd)).toml).toBe(other);
  expect(mergeToml(other, given)).toContain(other.trim());
});

/** The wizard, once it says where its page is; ended after the test, whatever happens. */
async function wizard(cwd: string) {
  const child = spawn(process.execPath, [await built('svc'), 'oauth', 'setup'], {
    cwd,
    env: { PATH: process.env.PATH },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'close').then(([code]) => code as number | null);
  let output = '';
  const address = Promise.withResolvers<URL>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      const found = /^ *(http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]+)$/m.exec(output);
      if (found) address.resolve(new URL(found[1]!));
    });
  }
  void ended.then(() => address.reject(new Error(output)));
  return { url: await address.promise, ended, output: () => output };
}

/** A request with whatever headers a hostile page or name could bring about. */
async function ask(url: URL, method: string, headers: Record<string, string>, form = '') {
  const req = request(url, { method, headers: { Connection: 'close', ...headers } }).end(form);
  const [res] = await once(req, 'response');
  let body = '';
  for await (const chunk of res) body += chunk;
  return { status: res.statusCode as number, headers: res.headers as Record<string, string>, body };
}

test('the page answers to its own name, origin and token alone, and ends after saving', async () => {
  // Another site in the same browser, or a name of it that leads to 127.0.0.1, fills the form in with its own provider.
  const cwd = await folderWith();
  const { url, ended, output } = await wizard(cwd);
  const token = url.searchParams.get('token')!;
  expect(token).toMatch(/^[\w-]{43}$/);
  const root = new URL('/', url);
  const form = (more: Record<string, string> = {}) =>
    new URLSearchParams({ token, client_id: clientId, client_secret: clientSecret, ...more }).toString();
  const own = { Origin: url.origin };

  const rebound = { Host: `evil.example:${url.port}` };
  expect((await ask(url, 'GET', rebound)).status).toBe(404);
  expect((await ask(url, 'GET', { Host: `localhost:${url.port}` })).status).toBe(404);
  for (const wrong of ['/', '/?token=', '/?token=x', `/?token=${'a'.repeat(43)}`]) {
    const { status, body } = await ask(new URL(wrong, url), 'GET', {});
    expect(status).toBe(403);
    expect(body).not.toContain(token);
  }
  expect((await ask(root, 'POST', {}, form())).status).toBe(403);
  for (const Origin of ['null', 'https://evil.example', `http://localhost:${url.port}`]) {
    expect((await ask(root, 'POST', { Origin }, form())).status).toBe(403);
  }
  expect((await ask(root, 'POST', { ...own, ...rebound }, form())).status).toBe(404);
  expect((await ask(root, 'POST', own, form({ token: 'x' }))).status).toBe(403);
  expect((await ask(root, 'PUT', own, form())).status).toBe(405);
  expect(await read(cwd)).toEqual({ toml, secrets });

  const page = await ask(url, 'GET', {});
  expect(page.status).toBe(200);
  expect(page.headers['content-security-policy']).toContain("default-src 'none'");
  expect(page.headers['cache-control']).toBe('no-store');
  const missing = await ask(root, 'POST', own, form({ client_id: '<b>"', client_secret: '' }));
  expect(missing.status).toBe(422);
  expect(missing.body).toContain('role="alert"');
  expect(missing.body).not.toContain('<b>');
  expect(await read(cwd)).toEqual({ toml, secrets });

  expect((await ask(root, 'POST', own, form({ auto_link: 'on' }))).status).toBe(200);
  expect(await ended).toBe(0);
  expect(await read(cwd)).toEqual({
    toml: mergeToml(toml, { ...given, autoLink: true }),
    secrets: mergeSecrets(secrets, given),
  });
  expect(output()).not.toContain(clientSecret);
});

test('takes files of other names', async () => {
  const cwd = await folderWith();
  await writeFile(join(cwd, 'shop.toml'), toml);
  await writeFile(join(cwd, 'shop.env'), secrets, { mode: 0o600 });
  const before = await read(cwd);
  const { code } = await setUp(cwd, ...credentials, '--config=shop.toml', '--secrets=shop.env');
  expect(code).toBe(0);
  expect(await readFile(join(cwd, 'shop.toml'), 'utf8')).toContain(clientId);
  expect(await readFile(join(cwd, 'shop.env'), 'utf8')).toContain(clientSecret);
  expect(await read(cwd)).toEqual(before);
});
