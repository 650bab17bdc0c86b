import { generateKeyPairSync } from 'node:crypto';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { providersOf } from '../../src/oauth/settings.ts';
import { folderWith, load, problemOf } from './support.ts';

const toml = (table: string, name = 'acme') => `enable_oauth = true\n[oauth.providers.${name}]\n${table}`;
const oidc = 'issuer = "https://id.example.org"\nclient_id = "x"\nclient_secret = "a-secret"';

const pem = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({
  ...{ type: 'pkcs8', format: 'pem' },
}) as string;
const apple = (key: string) =>
  `kind = "apple"\nclient_id = "x"\nteam_id = "t"\nkey_id = "k"\nprivate_key = ${JSON.stringify(key)}`;

const only = (given: object) => providersOf(load(given).config)[0]!;

describe('a provider', () => {
  test('may have a maximum age of sign-ins, where it says when they were made', () => {
    const given = `${oidc}\nmax_age_seconds = 3600`;
    expect(only({ toml: toml(given) })).toMatchObject({ mostAge: 3600 });
    const github = 'kind = "github"\nclient_id = "x"\nclient_secret = "y"\nmax_age_seconds = 60';
    expect(problemOf({ toml: toml(github) })).toContain('does not belong to the kind github');
  });

  test('of the kind oidc needs its issuer, an id and a secret', () => {
    expect(only({ toml: toml(oidc) })).toEqual({
      ...{ kind: 'oidc', name: 'acme', label: 'Acme', issuer: 'https://id.example.org' },
      mostAge: null,
      ...{ clientId: 'x', clientSecret: 'a-secret', clientAuth: 'client_secret_basic' },
      ...{ scopes: ['openid', 'email'], trustsEmail: false },
      redirectUri: 'http://localhost:8000/api/auth/oauth/acme/callback',
    });
    const missing = problemOf({ toml: toml('issuer = "https://id.example.org"') });
    expect(missing).toBe(
      'svc.toml: oauth.providers.acme: needs client_id and client_secret: set them here, or SVC_OAUTH__PROVIDERS__ACME__CLIENT_ID and SVC_OAUTH__PROVIDERS__ACME__CLIENT_SECRET in the environment or the secrets file',
    );
    const open = 'issuer = "https://id.example.org"\nclient_id = "x"\nclient_auth = "none"';
    expect(only({ toml: toml(open) })).toMatchObject({ clientSecret: null, clientAuth: 'none' });
  });

  test('can be written in the environment, in the secrets file and in a program', () => {
    const env = {
      SVC_ENABLE_OAUTH: 'true',
      SVC_OAUTH__PROVIDERS__ACME_CORP__ISSUER: 'https://id.example.org/',
      SVC_OAUTH__PROVIDERS__ACME_CORP__CLIENT_ID: 'x',
      SVC_OAUTH__PROVIDERS__acme_corp__SCOPES: 'email, profile',
    };
    const secrets = 'SVC_OAUTH__PROVIDERS__ACME_CORP__CLIENT_SECRET=s';
    expect(only({ env, secrets })).toMatchObject({
      ...{ name: 'acme_corp', label: 'Acme corp', issuer: 'https://id.example.org' },
      ...{ clientId: 'x', clientSecret: 's', scopes: ['openid', 'email', 'profile'] },
    });
    const providers = { acme: { issuer: 'https://id.example.org', clientId: 'x', clientSecret: 's' } };
    expect(only({ arguments: { enableOauth: true, oauth: { providers } } })).toMatchObject({ name: 'acme' });
  });

  test('of another kind has the addresses of its maker', () => {
    const common = 'client_id = "x"\nclient_secret = "s"\nkind =';
    expect(only({ toml: toml(`${common} "github"`, 'code') })).toMatchObject({
      ...{ label: 'GitHub', scopes: ['user:email'], apiUrl: 'https://api.github.com' },
      tokenUrl: 'https://github.com/login/oauth/access_token',
    });
    expect(only({ toml: toml(`${common} "microsoft"`, 'work') })).toMatchObject({
      ...{ label: 'Microsoft', tenant: 'common' },
      issuer: 'https://login.microsoftonline.com/{tenant}/v2.0',
    });
    const settings = only({ toml: toml(apple(pem)) });
    expect(settings).toMatchObject({ label: 'Apple', issuer: 'https://appleid.apple.com', privateKey: pem });
  });

  test('of Apple takes its key from one line of a secrets file, too', () => {
    const secrets = `SVC_OAUTH__PROVIDERS__APPLE__PRIVATE_KEY="${pem.replaceAll('\n', '\\n')}"`;
    const table = apple('').replace('private_key = ""', '');
    expect(only({ toml: toml(table, 'apple'), secrets })).toMatchObject({ privateKey: pem });
  });

  test.each([
    ['kind = "oauth1"', 'oauth.providers.acme.kind: must be oidc, github, apple or microsoft'],
    [`${oidc}\ntenant = "x"`, 'oauth.providers.acme.tenant: does not belong to the kind oidc'],
    [`${oidc}\nkind = "github"`, 'oauth.providers.acme.issuer: does not belong to the kind github'],
    [
      'kind = "github"\nclient_id = "x"\nclient_secret = "s"\ntoken_url = "https://x.example/t"',
      'oauth.providers.acme: needs authorization_url and api_url of the same installation',
    ],
    [
      oidc.replace('https://id', 'http://id'),
      'oauth.providers.acme.issuer: must be an https URL; http is for loopback only',
    ],
    [
      `${oidc}\nclient_auth = "none"`,
      'oauth.providers.acme.client_secret: has no use with client_auth = "none"',
    ],
    [`${oidc}\nkind = "microsoft"`, 'oauth.providers.acme.issuer: must contain {tenant}'],
    [
      oidc.replace('example.org', 'example.org/{tenant}'),
      'oauth.providers.acme.issuer: must not contain {tenant}',
    ],
    [
      apple('no key'),
      'oauth.providers.acme.private_key: must be the key that Apple gave you, in PEM: an EC key of the curve P-256',
    ],
    [
      `${oidc}\nclient_sceret = "x"`,
      'oauth.providers.acme.client_sceret: is not a setting; did you mean oauth.providers.acme.client_secret?',
    ],
    [
      oidc.replace('a-secret', '<CLIENT_SECRET>'),
      'oauth.providers.acme.client_secret: still contains the placeholder <CLIENT_SECRET>: replace it with the real value',
    ],
  ])('%j is refused', (table, problem) => {
    expect(problemOf({ toml: toml(table) })).toBe(`svc.toml: ${problem}`);
  });

  test.each(['Acme', 'ac-me', 'a__b', '_a', '1a', 'a'.repeat(51)])('is not called %s', name => {
    expect(problemOf({ toml: toml(oidc, name) })).toMatch(/: must have a name of at most 50 lower-case/);
  });

  test('is not called google beside the one that is', () => {
    const google = 'oauth.google_client_id = "x"\n';
    expect(problemOf({ toml: google + toml(oidc, 'google') })).toBe(
      'svc.toml: oauth.providers.google: is configured by oauth.google_client_id, too: choose one',
    );
    expect(only({ toml: toml(oidc, 'google') })).toMatchObject({ name: 'google', label: 'Google' });
  });

  test('in a file that others can read is warned about, and no secret is shown', () => {
    const folder = folderWith({ toml: toml(oidc) });
    chmodSync(join(folder, 'svc.toml'), 0o644);
    const warning = load({}, folder).warnings.find(text => text.includes('can be read by others'));
    expect(warning).toContain('oauth.providers.acme.client_secret');
    expect(warning).not.toContain('a-secret');
  });
});

test('believing the addresses of every tenant of Microsoft is warned about, and those of one are not', () => {
  const warned = (tenant: string) => {
    const table = `[oauth.providers.work]\nkind = "microsoft"\nclient_id = "x"\nclient_secret = "s"\ntrust_email = true\n`;
    return load({ toml: table + tenant }).warnings.filter(text => text.includes('trust_email'));
  };
  for (const tenant of ['', 'tenant = "organizations"']) {
    expect(warned(tenant)).toEqual([expect.stringMatching(/^oauth\.providers\.work\.trust_email is on for/)]);
  }
  expect(warned('tenant = "contoso.example"')).toEqual([]);
});

test('enable_oauth without any provider is warned about, and one that is complete is not', () => {
  const warned = (given: object) => load(given).warnings.filter(text => text.includes('enable_oauth'));
  expect(warned({ toml: 'enable_oauth = true' })).toHaveLength(1);
  expect(warned({ toml: toml(oidc) })).toEqual([]);
  expect(warned({ toml: `oauth.google_client_id = "x"\n${toml(oidc)}` })).toEqual([
    'enable_oauth is on, but google stays off without oauth.google_client_secret: svc oauth setup writes them.',
  ]);
});
