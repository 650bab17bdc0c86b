import { describe, expect, test } from 'vitest';
import { apiSegments } from '../../src/config/api-segments.ts';
import { everyFeature } from '../../src/feature-parts.ts';
import { dataEncryptionKey, startApp } from '../support/app.ts';
import { load, problemOf } from './support.ts';

const pages = 'enable_ui_router = true\n';

describe('prefixes', () => {
  test.each([
    ['ui_prefix = "/api/auth"', 'ui_prefix', 'must differ from api_prefix'],
    ['api_prefix = "/account"', 'ui_prefix', 'must differ from api_prefix'],
    ['static_prefix = "/api/auth"', 'static_prefix', 'must differ from api_prefix'],
    ['static_prefix = "/account"', 'static_prefix', 'must differ from ui_prefix'],
    [
      'ui_prefix = "/api/auth/admin/users"',
      'ui_prefix',
      'lies within /api/auth/admin, which belongs to the API',
    ],
    [
      'static_prefix = "/api/auth/oauth"',
      'static_prefix',
      'lies within /api/auth/oauth, which belongs to the API',
    ],
    ['static_prefix = "/account/me"', 'static_prefix', ''],
    ['api_prefix = "/account/api"', 'api_prefix', ''],
    ['ui_prefix = "/api/auth/pages"', 'ui_prefix', ''],
    ['ui_prefix = "/api/auth-pages"', 'ui_prefix', ''],
    ['ui_prefix = "/api"', 'ui_prefix', ''],
  ])('%s', (toml, key, message) => {
    const problem = problemOf({ toml: pages + toml });
    if (message === '') expect(problem).toBe('');
    else expect(problem).toMatch(new RegExp(`: ${key}: ${message}`));
  });

  test('of pages that are off collide with nothing', () => {
    const toml = 'ui_prefix = "/api/auth"\nstatic_prefix = "/api/auth"';
    expect(load({ toml }).config.uiPrefix).toBe('/api/auth');
  });

  test('are compared with every path that the API has', async () => {
    const app = await startApp({
      settings: {
        ...{ enableAdminRouter: true, enableSms2fa: true, enableOauth: true },
        ...{ enableSessionList: true, notifyNewSignIn: true, dataEncryptionKey },
        mailStore: 'database',
        ...Object.assign({}, ...everyFeature.map(({ sample }) => sample)),
        oauth: {
          googleClientId: 'client',
          googleClientSecret: 'secret',
          googleIssuer: 'http://127.0.0.1:1',
        },
      },
    });
    const { paths } = (await app.rest('GET', '/openapi.json')).body;
    await app.close();
    const used = Object.keys(paths).map(path => path.split('/')[1]!);
    expect([...new Set([...used, 'graphql', 'openapi.json'])].sort()).toEqual([...apiSegments].sort());
  });
});
