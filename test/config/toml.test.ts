import { describe, expect, test } from 'vitest';
import { load, problemOf } from './support.ts';

describe('the TOML file', () => {
  test('numbers, flags, lists and nested tables keep their types', () => {
    const { config } = load({
      toml: [
        "port = 1\nenable_oauth = true\ncors_origins = [\"https://a.example\"]\nbrand_tagline = '''it's'''",
        '[email]\nsmtp_port = 2525\nsmtp_starttls = false\n[urls]\nverify = "https://app.example/v"',
      ].join('\n'),
    });
    expect(config).toMatchObject({ port: 1, enableOauth: true, brandTagline: "it's" });
    expect(config.corsOrigins).toEqual(['https://a.example']);
    expect(config.email).toMatchObject({ smtpPort: 2525, smtpStarttls: false });
    expect(config.urls.verify).toBe('https://app.example/v');
  });

  test.each([
    ['port = "8000"', 'port: must be a whole number'],
    ['port = 1.5', 'port: must be a whole number'],
    ['enable_oauth = "true"', 'enable_oauth: must be true or false'],
    ['enable_oauth = 1', 'enable_oauth: must be true or false'],
    ['cors_origins = "https://a.example"', 'cors_origins: must be a list'],
    ['cors_origins = ["https://a.example", 5]', 'cors_origins: item 2: must be a string'],
    ['app_name = 5', 'app_name: must be a string'],
    ['app_name = ""', "app_name: can't be empty"],
    ['app_name = "a\\nb"', "app_name: can't contain control characters"],
    ['app_name = 2026-01-01', 'app_name: must be a string'],
    ['email = "x"', 'email: must be a table'],
    ['email = ["x"]', 'email: must be a table'],
    ['email = 2026-01-01', 'email: must be a table'],
  ])('%s is refused', (toml, message) => {
    expect(problemOf({ toml })).toBe(`svc.toml: ${message}`);
  });

  test('a byte order mark and Windows line ends do no harm', () => {
    const files = { toml: '\uFEFFapp_name = "Acme"\r\nport = 1\r\n', secrets: '\uFEFFSVC_PORT=2\r\n' };
    expect(load(files).config).toMatchObject({ appName: 'Acme', port: 2 });
  });
});

test.each([{ email: null }, { email: 'x' }, { email: [] }, { email: new Date(0) }])(
  'an argument that should be a table is refused otherwise (%j)',
  given => {
    expect(problemOf({ arguments: given as object })).toBe('arguments: email: must be a table');
  },
);
