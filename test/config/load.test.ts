import { mkdirSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { folderWith, jwtSecret, load, problemOf } from './support.ts';

describe('the order of the sources', () => {
  const all = {
    arguments: { appName: 'arguments', email: { smtpHost: 'arguments' } },
    env: { SVC_APP_NAME: 'environment', SVC_EMAIL__SMTP_HOST: 'environment' },
    secrets: 'SVC_APP_NAME=secrets\nSVC_EMAIL__SMTP_HOST=secrets\n',
    toml: 'app_name = "toml"\n[email]\nsmtp_host = "toml"\n',
  };
  const order = ['arguments', 'env', 'secrets', 'toml'] as const;
  const winners = ['arguments', 'environment', 'secrets', 'toml', undefined];

  test.each(winners.map((winner, i) => ({ winner, without: order.slice(0, i) })))(
    'without $without the value of $winner counts',
    ({ winner, without }) => {
      const { config } = load({ ...all, ...Object.fromEntries(without.map(name => [name, undefined])) });
      expect(config.appName).toBe(winner ?? 'Gatehouse');
      expect(config.email.smtpHost).toBe(winner);
    },
  );

  test('fields of one table come from different sources', () => {
    const { config } = load({
      arguments: { email: { smtpPort: 1 } },
      env: { SVC_EMAIL__SMTP_HOST: 'environment' },
      secrets: 'SVC_EMAIL__SMTP_USERNAME=secrets',
      toml: '[email]\nfrom_name = "toml"\nsmtp_port = 4\nsmtp_host = "toml"',
    });
    expect(config.email).toMatchObject({
      smtpPort: 1,
      smtpHost: 'environment',
      smtpUsername: 'secrets',
      fromName: 'toml',
      fromAddress: 'noreply@localhost',
    });
  });

  test('an argument that is undefined leaves the next source its say', () => {
    const { config } = load({ arguments: { appName: undefined }, env: { SVC_APP_NAME: 'environment' } });
    expect(config.appName).toBe('environment');
  });

  test('an empty variable of an optional field counts as not set', () => {
    const { config } = load({ env: { SVC_JWT_AUDIENCE: '' }, toml: 'jwt_audience = "toml"' });
    expect(config.jwtAudience).toBe('toml');
  });
});

describe('the files', () => {
  test('SVC_CONFIG wins over svc.toml, and svc.toml over the path that a program gives', () => {
    const files = { 'named.toml': 'app_name = "named"', 'given.toml': 'app_name = "given"' };
    const given = { files, configFile: 'given.toml' };
    const usual = { ...given, toml: 'app_name = "usual"' };
    expect(load({ ...usual, env: { SVC_CONFIG: 'named.toml' } }).config.appName).toBe('named');
    expect(load(usual).config.appName).toBe('usual');
    expect(load(given).config.appName).toBe('given');
  });

  test('the secrets file that a program gives wins over SVC_SECRETS, and that over svc.secrets.env', () => {
    const files = { 'named.env': 'SVC_APP_NAME=named', 'given.env': 'SVC_APP_NAME=given' };
    const usual = { files, secrets: 'SVC_APP_NAME=usual' };
    const named = { ...usual, env: { SVC_SECRETS: 'named.env' } };
    expect(load({ ...named, secretsFile: 'given.env' }).config.appName).toBe('given');
    expect(load(named).config.appName).toBe('named');
    expect(load(usual).config.appName).toBe('usual');
  });

  test('says which files it read', () => {
    const folder = folderWith({ toml: '', secrets: '' });
    const { filesRead } = load({}, folder);
    expect(filesRead).toEqual([join(folder, 'svc.toml'), join(folder, 'svc.secrets.env')]);
    expect(filesRead.every(isAbsolute)).toBe(true);
    expect(load().filesRead).toEqual([]);
  });

  test.each([
    ['SVC_CONFIG', { env: { SVC_CONFIG: 'absent.toml' } }],
    ['the TOML file of a program', { configFile: 'absent.toml' }],
    ['SVC_SECRETS', { env: { SVC_SECRETS: 'absent.env' } }],
    ['the secrets file of a program', { secretsFile: 'absent.env' }],
  ])('a file that %s names must be there', (_, given) => {
    expect(problemOf(given)).toMatch(/^absent\.(toml|env): file: does not exist/);
  });

  test.each(['svc.toml', 'svc.secrets.env'])('a folder in place of %s is an error that names it', name => {
    const folder = folderWith({});
    mkdirSync(join(folder, name));
    expect(() => load({}, folder)).toThrow(`${join(folder, name)}: file: `);
  });
});

describe('isolation', () => {
  test('two loads share nothing', () => {
    const first = load().config;
    (first.corsOrigins as string[]).push('https://planted.example');
    (first.email as { fromName: string }).fromName = 'planted';
    first.loginRateLimit.push({ count: 1, seconds: 1 });
    expect(load().config).toMatchObject({
      corsOrigins: [],
      email: { fromName: 'Gatehouse' },
      loginRateLimit: [],
    });
  });

  test("a list stays the program's own: changing it later changes no configuration", () => {
    const corsOrigins = ['https://app.example'];
    const { config } = load({ arguments: { corsOrigins } });
    corsOrigins.push('https://planted.example');
    expect(config.corsOrigins).toEqual(['https://app.example']);
  });

  test('the environment of the process is read at each load, and not at import', async () => {
    const cwd = folderWith({});
    vi.stubEnv('SVC_JWT_SECRET', jwtSecret);
    vi.stubEnv('SVC_APP_NAME', 'before import');
    vi.resetModules();
    const fresh = await import('../../src/config/load.ts');
    vi.stubEnv('SVC_APP_NAME', 'after import');
    expect(fresh.loadConfig({ cwd }).config.appName).toBe('after import');
    vi.unstubAllEnvs();
  });

  test('an environment that is given replaces that of the process', () => {
    vi.stubEnv('SVC_APP_NAME', 'of the process');
    expect(loadConfig({ cwd: folderWith({}), env: { SVC_JWT_SECRET: jwtSecret } }).config.appName).toBe(
      'Gatehouse',
    );
    vi.unstubAllEnvs();
  });
});
