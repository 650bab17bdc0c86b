import { describe, expect, test } from 'vitest';
import { load, problemOf, problemsOf } from './support.ts';

// APIs that check the tokens and keys of Gatehouse (CONTRACT §16.1).

const key = Buffer.alloc(32, 7).toString('base64url');
const secret = 'a'.repeat(32);
const orders = `[resources.orders]
identifier = "https://api.example.org"
scopes = { "orders:read" = "See your orders", "orders:write" = "Change your orders" }
`;
const on = `enable_tokens = true\ndata_encryption_key = "${key}"\n`;

/** The same resource, with more lines. */
const withLines = (...lines: string[]) => `${on}${orders}${lines.join('\n')}\n`;

test('there are none by default, and the issuer is base_url', () => {
  const { config } = load({ toml: 'base_url = "https://id.example.org"' });
  expect(config).toMatchObject({ resources: {}, issuer: 'https://id.example.org', enableTokens: false });
  expect(config).toMatchObject({ signingAlgorithms: ['ES256'], signingKeyRotationDays: 90 });
  expect(config).toMatchObject({ signingKeyLeadSeconds: 1200, accessTokenTtlSeconds: 300 });
});

describe('a resource', () => {
  test('needs an identifier and scopes, whose order and names stay as they are written', () => {
    const { config, warnings } = load({ toml: withLines() });
    expect(config.resources).toEqual({
      orders: {
        ...{ identifier: 'https://api.example.org', label: 'orders', claims: [], forSessions: true },
        scopes: { 'orders:read': 'See your orders', 'orders:write': 'Change your orders' },
      },
    });
    expect(Object.keys(config.resources.orders!.scopes)).toEqual(['orders:read', 'orders:write']);
    expect(warnings.join()).not.toContain('[resources]');
    expect(problemsOf({ toml: '[resources.orders]\nlabel = "Orders"\n' }).map(({ key }) => key)).toEqual([
      'resources.orders.identifier',
      'resources.orders.scopes',
    ]);
  });

  test('can have its texts in several languages; its label is that of the default one', () => {
    const lines = ['label = { en = "Orders", de = "Bestellungen" }', '[resources.other]'];
    const other = 'identifier = "urn:example:other"\nscopes = { read = { en = "See", pt-BR = "Ver" } }\n';
    const { config } = load({
      toml: `locales = ["en", "de"]\ndefault_locale = "de"\n${withLines(...lines)}${other}`,
    });
    expect(config.resources.orders).toMatchObject({ label: 'Bestellungen' });
    expect(config.resources.other!.scopes).toEqual({ read: { en: 'See', 'pt-BR': 'Ver' } });
  });

  test('can be set by the environment, its scopes as a JSON object', () => {
    const { config } = load({
      toml: withLines('token_ttl_seconds = 60'),
      env: {
        SVC_RESOURCES__ORDERS__SCOPES: '{"b":"B","a":"A"}',
        SVC_RESOURCES__ORDERS__CLAIMS: 'email, roles',
        SVC_RESOURCES__ORDERS__FOR_SESSIONS: 'false',
      },
      secrets: `SVC_RESOURCES__ORDERS__SECRET=${secret}\n`,
    });
    const { secret: given, ...rest } = config.resources.orders!;
    expect(given?.reveal()).toBe(secret);
    expect(rest).toMatchObject({ claims: ['email', 'roles'], forSessions: false, tokenTtlSeconds: 60 });
    expect(Object.entries(rest.scopes)).toEqual([
      ['b', 'B'],
      ['a', 'A'],
    ]);
  });

  test('can be set by a program', () => {
    const resources = {
      orders: { identifier: 'urn:example:orders', scopes: { 'a.b': 'A' }, maxAgeSeconds: 60 },
    };
    expect(load({ arguments: { resources } }).config.resources.orders).toMatchObject({
      ...{ identifier: 'urn:example:orders', scopes: { 'a.b': 'A' }, maxAgeSeconds: 60 },
    });
  });

  test.each([
    ['api.example.org', 'relative'],
    ['https://api.example.org/?a=b', 'with a query'],
    ['https://api.example.org#a', 'with a fragment'],
    ['https://api.example.org/a b', 'with a space'],
    ['https://api.example.org/"', 'with a quotation mark'],
    ['https://api.exämple.org', 'with other letters'],
  ])('has no identifier such as %s, %s', identifier => {
    const toml = on + orders.replace('"https://api.example.org"', JSON.stringify(identifier));
    expect(problemOf({ toml })).toMatch(
      /^svc\.toml: resources\.orders\.identifier: must be an absolute URI without query and fragment, [^\n]*$/,
    );
  });

  test.each([
    ['Orders', 'a capital'],
    ['2nd', 'a digit first'],
    ['a-b', 'a hyphen'],
    ['a__b', 'two underscores'],
    ['a'.repeat(51), '51 letters'],
  ])('has no name such as %s, with %s', name => {
    expect(problemOf({ toml: on + orders.replace('orders]', `${name}]`) })).toContain(
      `svc.toml: resources.${name}: must have a name of at most 50 lower-case letters`,
    );
  });

  test.each([
    ['scopes = {}', 'scopes: must name at least one scope'],
    ['scopes = "a"', 'scopes: must be a table of scopes'],
    ['scopes = { "a b" = "A" }', 'scopes'],
    ['scopes = { "a" = 1 }', 'scopes'],
    ['scopes = { "openid" = "A" }', "scopes: can't name openid, which is reserved"],
    [
      'scopes = { "a" = "A", "7" = "B" }',
      "scopes: can't name 7: a whole number would come before the others",
    ],
    [
      'scopes = { "a" = "A", "0" = "B" }',
      "scopes: can't name 0: a whole number would come before the others",
    ],
    ['scopes = { "a" = "A", "__proto__" = "B" }', "scopes: can't name __proto__, which is reserved"],
    ['scopes = { "profile" = "A" }', "scopes: can't name profile, which is reserved"],
    ['claims = ["phone_number"]', "claims: can't name phone_number"],
    ['claims = ["company"]', "claims: can't name company"],
    ['signing_algorithm = "RS256"', 'signing_algorithm: must be one of signing_algorithms'],
    ['signing_algorithm = "HS256"', 'signing_algorithm: must be ES256, RS256 or EdDSA'],
    ['token_ttl_seconds = 29', 'token_ttl_seconds: must be at least 30'],
    ['token_ttl_seconds = 3601', 'token_ttl_seconds: must be at most 3600'],
    ['acr = "aal1"', 'acr: must be aal2 or phr'],
    ['max_age_seconds = 0', 'max_age_seconds: must be at least 1'],
    ['audience = "a"', 'audience: is not a setting'],
  ])('with %s is refused', (line, problem) => {
    const others = orders.split('\n').filter(each => each.split(' ')[0] !== line.split(' ')[0]);
    const found = problemsOf({ toml: `${on}${others.join('\n')}\n${line}\n` });
    expect(found.map(({ key, message }) => `${key}: ${message}`).join('\n')).toContain(
      `resources.orders.${problem}`,
    );
  });

  // Shows asvs/9.2.4.
  test('shares neither its identifier nor a scope with another, a slash at the end of an empty path aside', () => {
    const toml = `${on}${orders}[resources.other]
identifier = "https://api.example.org/"
scopes = { "orders:read" = "The same" }
[resources.deeper]
identifier = "https://api.example.org/a/"
scopes = { "x" = "X" }
[resources.deep]
identifier = "https://api.example.org/a"
scopes = { "y" = "Y" }`;
    expect(problemsOf({ toml }).map(({ key, message }) => `${key}: ${message}`)).toEqual([
      'resources.other.identifier: is that of orders, too',
      "resources.other.scopes: can't name orders:read, which belongs to orders",
    ]);
  });

  test('takes own fields as claims that people may see and that no token has otherwise', () => {
    const fields = (...names: string[]) => names.map(name => `[user_fields.${name}]\n`).join('');
    const claims = (...names: string[]) => `claims = ${JSON.stringify(names)}`;
    const { config } = load({ toml: withLines(claims('email', 'company')) + fields('company') });
    expect(config.resources.orders!.claims).toEqual(['email', 'company']);
    for (const name of ['scope', 'act', 'may_act', 'groups', 'entitlements', 'cnf', 'username', 'key_id']) {
      expect(problemOf({ toml: withLines(claims(name)) + fields(name) })).toContain(
        `resources.orders.claims: can't name ${name}, which means something else in a token`,
      );
    }
    const hidden = `${withLines(claims('company'))}[user_fields.company]\nvisible_to = "admin"\n`;
    expect(problemOf({ toml: hidden })).toContain("can't name company, which people can't see");
  });

  test('has no secret in the configuration file, which says how to make one', () => {
    expect(problemOf({ toml: withLines(`secret = "${secret}"`) })).toBe(
      'svc.toml: resources.orders.secret: must not be in the configuration file: set SVC_RESOURCES__ORDERS__SECRET in the environment or the secrets file, with what `openssl rand -hex 32` prints',
    );
    for (const wrong of ['a'.repeat(31), 'a'.repeat(129), `${secret}ä`, `${secret}:`]) {
      expect(problemOf({ toml: withLines(), env: { SVC_RESOURCES__ORDERS__SECRET: wrong } })).toContain(
        'must be 32 to 128 letters',
      );
    }
  });

  test('is warned of while nothing uses it', () => {
    expect(load({ toml: orders }).warnings.join()).toContain('[resources] is set and has no effect');
  });
});

describe('the issuer', () => {
  const base = 'base_url = "https://id.example.org"\n';

  test.each(['https://id.example.org', 'https://id.example.org/accounts', 'https://id.example.org/a/b.c'])(
    'may be %s',
    issuer => {
      expect(load({ toml: `${base}issuer = "${issuer}"` }).config.issuer).toBe(issuer);
    },
  );

  test.each([
    'https://id.example.org/',
    'https://id.example.org/a/',
    'https://id.example.org/a/../b',
    'https://id.example.org/a//b',
    'https://id.example.org/a?b',
    'https://id.example.org.evil.example',
    'https://other.example.org',
    'http://id.example.org',
    'HTTPS://id.example.org',
    '/accounts',
  ])('may not be %s', issuer => {
    expect(problemOf({ toml: `${base}issuer = "${issuer}"` })).toBe(
      'svc.toml: issuer: must be base_url, or a path of it without a slash at its end, such as https://id.example.org/accounts',
    );
  });
});

test.each([
  ['signing_algorithms = []', 'signing_algorithms: must name at least one algorithm'],
  ['signing_algorithms = ["ES256", "ES256"]', "signing_algorithms: can't contain a name twice"],
  ['signing_algorithms = ["none"]', 'signing_algorithms: item 1: must be ES256, RS256 or EdDSA'],
  ['signing_key_rotation_days = -1', 'signing_key_rotation_days: must be at least 0'],
  ['signing_key_lead_seconds = 59', 'signing_key_lead_seconds: must be at least 60'],
  ['signing_key_lead_seconds = 86401', 'signing_key_lead_seconds: must be at most 86400'],
  ['access_token_ttl_seconds = 29', 'access_token_ttl_seconds: must be at least 30'],
  ['enable_tokens = true', 'data_encryption_key'],
])('%s is refused', (line, problem) => {
  const found = problemsOf({ toml: line });
  expect(found.map(({ key: name, message }) => `${name}: ${message}`).join('\n')).toContain(problem);
});
