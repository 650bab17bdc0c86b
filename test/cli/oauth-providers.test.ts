import { generateKeyPairSync } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from '@decimalturn/toml-patch';
import { expect, test } from 'vitest';
import { mergeToml } from '../../src/cli/merge-files.ts';
import { loadConfig } from '../../src/config/load.ts';
import { providersOf } from '../../src/oauth/settings.ts';
import { startApple } from '../support/apple.ts';
import { startGithub } from '../support/github.ts';
import { startMicrosoft } from '../support/microsoft.ts';
import { emptyFolder, svc } from './support.ts';

const toml = '# ours\nbase_url = "http://localhost:8000"\n\n[oauth]\nstate_ttl_seconds = 60 # a minute\n';

async function folder(): Promise<string> {
  const cwd = await emptyFolder();
  await writeFile(join(cwd, 'svc.toml'), toml);
  await writeFile(join(cwd, 'svc.secrets.env'), `SVC_JWT_SECRET=${'x'.repeat(40)}\n`, { mode: 0o600 });
  return cwd;
}

const setUp = (cwd: string, ...args: string[]) => svc(['oauth', 'setup', '--headless', ...args], { cwd });
const loaded = (cwd: string) => providersOf(loadConfig({ cwd, env: {} }).config);
const key = () =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString();

test('each kind is written where it belongs, one after the other, and the file is as it was beside it', async () => {
  const cwd = await folder();
  await writeFile(join(cwd, 'key.p8'), key());
  const secret = ['--client-id=the-id', '--client-secret=the-secret'];
  const commands = [
    ['--provider=github', ...secret],
    ['--provider=microsoft', '--tenant=contoso.example', ...secret],
    ['--provider=apple', '--client-id=app.service', '--team-id=T', '--key-id=K', '--private-key-file=key.p8'],
    ['--provider=acme_id', '--issuer=https://id.example.org', ...secret],
    [...secret],
  ];
  for (const args of commands) {
    const { code, stdout, stderr } = await setUp(cwd, ...args);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).not.toMatch(/the-secret|PRIVATE KEY|MIG/);
    // Doing it again changes nothing.
    const again = await setUp(cwd, ...args, '--dry-run');
    expect(again.stdout.match(/no change/g)).toHaveLength(2);
  }
  const text = await readFile(join(cwd, 'svc.toml'), 'utf8');
  expect(text).toContain('# ours\n');
  expect(text).toContain('state_ttl_seconds = 60 # a minute\n');
  expect(text).not.toContain('the-secret');
  expect(text).toContain('\n[oauth.providers.github]\nkind = "github"\nclient_id = "the-id"\n');
  const providers = loaded(cwd);
  expect(providers.map(({ name, kind }) => [name, kind])).toEqual([
    ['google', 'oidc'],
    ['github', 'github'],
    ['microsoft', 'microsoft'],
    ['apple', 'apple'],
    ['acme_id', 'oidc'],
  ]);
  expect(providers[2]).toMatchObject({ tenant: 'contoso.example', clientSecret: 'the-secret' });
  expect(providers[3]).toMatchObject({ privateKey: await readFile(join(cwd, 'key.p8'), 'utf8') });
  expect(providers[4]).toMatchObject({ issuer: 'https://id.example.org', clientId: 'the-id' });
  // The written tables accept additions by hand, as the guide says.
  const byHand =
    '\n[oauth.providers.by_hand]\nissuer = "https://other.example"\nclient_id = "x"\nclient_auth = "none"\n';
  await writeFile(join(cwd, 'svc.toml'), text + byHand);
  expect(loaded(cwd).map(({ name }) => name)).toContain('by_hand');
});

test('a provider gets a table of its own, to which its further fields can be added as the guide shows them', async () => {
  for (const [end, file] of [
    ['\n', toml],
    ['\r\n', toml],
    ['\n', ''],
    ['\n', '# ours'],
  ] as const) {
    const cwd = await emptyFolder();
    const before = file.replaceAll('\n', end);
    await writeFile(join(cwd, 'svc.toml'), before);
    await writeFile(join(cwd, 'svc.secrets.env'), `SVC_JWT_SECRET=${'x'.repeat(40)}\n`, { mode: 0o600 });
    for (const name of ['example', 'acme']) {
      const args = [`--provider=${name}`, '--issuer=https://id.example.org', '--client-id=the-id'];
      expect((await setUp(cwd, ...args, '--client-secret=x')).stdout).toMatch(
        /\nWritten\.\nNext: svc validate /,
      );
    }
    const text = await readFile(join(cwd, 'svc.toml'), 'utf8');
    const table = (name: string) =>
      [`[oauth.providers.${name}]`, 'kind = "oidc"', 'client_id = "the-id"'].join(end);
    expect(text).toContain(table('example'));
    expect(text).toContain(table('acme'));
    if (end === '\r\n') expect(text).not.toMatch(/(?<!\r)\n/);
    await writeFile(
      join(cwd, 'svc.toml'),
      text.replace(table('acme'), `${table('acme')}${end}label = "Acme ID"`),
    );
    expect(loaded(cwd)).toMatchObject([{ name: 'example' }, { name: 'acme', label: 'Acme ID' }]);
  }
});

test('a provider joins those that stand in an inline table or in dotted keys, where no header may follow', async () => {
  for (const before of [
    '[oauth]\nproviders = { work = { issuer = "https://w.example", client_id = "w" } } # ours\n',
    'oauth.providers.work = { issuer = "https://w.example", client_id = "w" }\n',
    'oauth = { providers.work = { issuer = "https://w.example", client_id = "w" } }\n',
  ]) {
    const cwd = await emptyFolder();
    await writeFile(join(cwd, 'svc.toml'), before);
    const secrets = [`SVC_JWT_SECRET=${'x'.repeat(40)}`, 'SVC_OAUTH__PROVIDERS__WORK__CLIENT_SECRET=w', ''];
    await writeFile(join(cwd, 'svc.secrets.env'), secrets.join('\n'), { mode: 0o600 });
    const { code } = await setUp(cwd, '--provider=github', '--client-id=x', '--client-secret=y');
    expect(code).toBe(0);
    expect(loaded(cwd).map(({ name }) => name)).toEqual(['work', 'github']);
  }
});

test.each([
  [['--provider=github', '--client-id=x'], 'The client secret is missing: give it with --client-secret=…'],
  [['--provider=apple', '--client-id=x'], 'The team id is missing: give it with --team-id=…'],
  [
    ['--provider=apple', '--client-id=x', '--team-id=t', '--key-id=k'],
    'The private key is missing: give it with --private-key-file=…',
  ],
  [['--provider=acme', '--client-id=x'], 'The issuer is missing: give it with --issuer=…'],
  [
    ['--provider=Acme'],
    'A provider cannot be called Acme: use at most 50 lower-case letters, digits and single underscores.',
  ],
  [['--provider=acme', '--kind=saml'], 'There is no kind saml: it is one of oidc, github, apple, microsoft.'],
  [['--provider=apple', '--private-key-file=nowhere.p8'], "nowhere.p8 can't be read (ENOENT)."],
  // Values that the configuration would refuse at the next start.
  [
    ['--provider=acme', '--issuer=id.example.org', '--client-id=x', '--client-secret=s'],
    'The issuer must be an https URL; http is for loopback only.',
  ],
  [
    ['--provider=microsoft', '--tenant=con/toso', '--client-id=x', '--client-secret=s'],
    'The tenant must be the id or a domain of a tenant, or common, organizations or consumers.',
  ],
  [[`--provider=${'a'.repeat(51)}`], 'cannot be called'],
])('%j is refused, and nothing is written', async (args, message) => {
  const cwd = await folder();
  const { code, stderr } = await setUp(cwd, ...args);
  expect(code).toBe(1);
  expect(stderr).toContain(message);
  expect(await readFile(join(cwd, 'svc.toml'), 'utf8')).toBe(toml);
});

test.each([
  '',
  '[oauth]\nproviders = { first = { kind = "github" } } # ours\n',
  'oauth = { state_ttl_seconds = 60 }\n',
  'oauth.state_ttl_seconds = 60\r\n[email]\r\nbackend = "console"',
  '[oauth.providers.first] # ours\nkind = "github"\n[email]\nbackend = "console"\n',
])('is merged into %j, and into what came of it', text => {
  const provider = { name: 'acme', kind: 'oidc', fields: { issuer: 'https://a.example' } };
  const given = { clientId: 'x', clientSecret: 's', autoLink: false };
  const first = parse(text) as { oauth?: { providers?: object } };
  const once = mergeToml(text, { ...given, provider });
  const twice = mergeToml(once, { ...given, provider: { ...provider, name: 'beta' } });
  const acme = { kind: 'oidc', client_id: 'x', issuer: 'https://a.example' };
  expect(parse(twice)).toEqual({
    ...first,
    enable_oauth: true,
    oauth: { ...first.oauth, providers: { ...first.oauth?.providers, acme, beta: acme } },
  });
  expect(mergeToml(twice, { ...given, provider })).toBe(twice);
  if (text.includes('# ours')) expect(twice).toContain(' # ours\n');
  if (text.includes('\r')) expect(twice).not.toMatch(/[^\r]\n/);
});

test('google is set up in one place only', async () => {
  const cwd = await folder();
  const secret = ['--client-id=x', '--client-secret=s'];
  expect((await setUp(cwd, ...secret)).code).toBe(0);
  const issuer = '--issuer=https://id.example.org';
  const twice = await setUp(cwd, '--provider=google', '--kind=oidc', issuer, ...secret);
  expect([twice.code, twice.stderr]).toEqual([
    1,
    'google is set up already, by oauth.google_client_id: remove that first, or choose another name.\n',
  ]);
  const other = await folder();
  expect((await setUp(other, '--provider=google', '--kind=oidc', issuer, ...secret)).code).toBe(0);
  const reverse = await setUp(other, ...secret);
  expect([reverse.code, reverse.stderr]).toEqual([
    1,
    'google is set up already, by [oauth.providers.google]: remove that first, or name it with --kind.\n',
  ]);
  expect(loaded(other)).toMatchObject([{ name: 'google', issuer: 'https://id.example.org' }]);
});

test('a key that is none of Apple is refused', async () => {
  const cwd = await folder();
  await writeFile(join(cwd, 'key.p8'), 'no key');
  const args = [
    '--provider=apple',
    '--client-id=x',
    '--team-id=t',
    '--key-id=k',
    '--private-key-file=key.p8',
  ];
  expect((await setUp(cwd, ...args)).stderr).toContain('is not the key that Apple gave you');
});

test('svc validate checks every provider, and names the one that cannot be reached', async () => {
  const [github, microsoft, apple] = await Promise.all([startGithub(), startMicrosoft(), startApple()]);
  const cwd = await folder();
  const { authorizationUrl, tokenUrl, apiUrl } = github.table;
  const quoted = (values: Record<string, string>) =>
    Object.entries(values).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
  const secret = { client_id: 'x', client_secret: 's' };
  await writeFile(
    join(cwd, 'svc.toml'),
    [
      'enable_oauth = true',
      '[oauth.providers.github]',
      ...quoted({
        kind: 'github',
        ...secret,
        authorization_url: authorizationUrl,
        token_url: tokenUrl,
        api_url: apiUrl,
      }),
      '[oauth.providers.work]',
      ...quoted({ kind: 'microsoft', ...secret, issuer: microsoft.table.issuer }),
      '[oauth.providers.apple]',
      ...quoted({
        kind: 'apple',
        client_id: 'x',
        team_id: 't',
        key_id: 'k',
        issuer: apple.origin,
        private_key: key(),
      }),
      '[oauth.providers.gone]',
      ...quoted({ ...secret, issuer: 'http://127.0.0.1:9' }),
    ].join('\n'),
    { mode: 0o600 },
  );
  const { code, stdout } = await svc(['validate'], { cwd });
  expect(code).toBe(1);
  for (const name of ['github', 'work', 'apple']) {
    expect(stdout).toContain(
      `the redirect URI http://localhost:8000/api/auth/oauth/${name}/callback must be registered there`,
    );
  }
  expect(stdout).toMatch(/gone: http:\/\/127\.0\.0\.1:9 can't be used/);
  await Promise.all([github, microsoft, apple].map(each => each.close()));
});
