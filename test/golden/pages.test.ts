import { expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import type { OwnField } from '../../src/contract/own-fields.ts';
import type { FeaturesView } from '../../src/contract/views/features.ts';
import { readAssets } from '../../src/pages/assets.ts';
import { everyFeaturePage } from '../../src/pages/of-features.ts';
import { createRenderer, type RenderParts } from '../../src/pages/render.ts';
import { pagesOf } from '../../src/pages/router.ts';
import { createLanguages } from '../../src/words/languages.ts';
import { pseudoOf } from '../../src/words/pseudo.ts';
import { createWords, english, shipped } from '../../src/words/words.ts';
import { jwtSecret } from '../support/app.ts';
import { elements, legend, outsideOfBrackets, recorded } from './variants.ts';

const features: FeaturesView = {
  app_name: 'Pages & Co',
  registration: true,
  verification_required: true,
  password_reset: true,
  account_deletion: true,
  sms_2fa: true,
  tokens: true,
  mfa_required: 'everyone',
  session_list: true,
  oauth: true,
  oauth_providers: [],
  password_min_length: 10,
  admin: true,
  user_fields: [],
  locales: [{ tag: 'en', name: 'English', direction: 'ltr' }],
  default_locale: 'en',
  activity: true,
  api_keys: true,
  browser_sessions: true,
  not_me: true,
  passkeys: true,
  totp: true,
};
const noFeatures: FeaturesView = {
  ...features,
  ...Object.fromEntries(
    Object.entries(features).map(([name, value]) => [name, value === true ? false : value]),
  ),
  mfa_required: 'off',
};

const field = (type: OwnField['type']): OwnField => ({
  ...{ type, label: `Label of a ${type}`, maxLength: 200, required: type !== 'date' },
  ...{ editableBy: type === 'boolean' ? 'admin' : 'user', visibleTo: 'user' },
});

type Settings = Pick<
  RenderParts['config'],
  | 'brandTagline'
  | 'brandLogoUrl'
  | 'themeCssUrl'
  | 'homeUrl'
  | 'footerLinks'
  | 'supportContact'
  | 'passwordBlocklist'
  | 'userFields'
  | 'roles'
  | 'mailStore'
>;
const settings: Settings = {
  brandTagline: 'A tagline',
  brandLogoUrl: '/logo.svg',
  themeCssUrl: '/theme.css',
  homeUrl: '/home',
  footerLinks: { privacy: { url: '/privacy', label: 'Privacy' } },
  supportContact: 'help@example.org',
  passwordBlocklist: true,
  userFields: {
    text: field('string'),
    number: field('number'),
    yes_no: field('boolean'),
    day: field('date'),
  },
  roles: ['editor', 'viewer'],
  mailStore: 'database',
};
const noSettings: Settings = {
  brandTagline: undefined,
  brandLogoUrl: undefined,
  themeCssUrl: undefined,
  homeUrl: undefined,
  footerLinks: {},
  supportContact: undefined,
  passwordBlocklist: false,
  userFields: {},
  roles: [],
  mailStore: 'memory',
};

const ofFeatures = { keeps_activity: true, has_webhooks: true };
const others = {
  providers: ['oidc', 'github', 'apple', 'microsoft'].map(kind => ({ name: kind, label: kind, kind })),
};

/** What can be switched off, or on alone. */
const switches = [
  ...Object.keys(features).filter(
    name =>
      ![
        'app_name',
        'oauth_providers',
        'password_min_length',
        'user_fields',
        'locales',
        'default_locale',
      ].includes(name),
  ),
  ...[settings, ofFeatures, others].flatMap(Object.keys),
];

const variants = [
  { name: 'everything', on: switches },
  { name: 'nothing', on: [] },
  ...switches.map(name => ({ name: `without ${name}`, on: switches.filter(each => each !== name) })),
  ...switches.map(name => ({ name: `${name} alone`, on: [name] })),
];

const { config } = loadConfig({
  arguments: { jwtSecret, baseUrl: 'https://app.example', enableUiRouter: true },
  env: {},
  cwd: import.meta.dirname,
});
const assets = readAssets();

/** Returns the members of `all` that are on, and otherwise those of `none`. */
const chosen = <T extends object>(all: T, none: T, on: string[]): T => ({
  ...none,
  ...Object.fromEntries(Object.entries(all).filter(([name]) => on.includes(name))),
});

/** Returns the parts of a renderer in which these are on. */
function partsWith(on: string[]): RenderParts {
  const shown = chosen(features, noFeatures, on);
  const hasAuthenticators = shown.totp || shown.passkeys;
  return {
    config: { ...config, ...chosen(settings, noSettings, on) },
    features: shown,
    ofFeatures: chosen(ofFeatures, { keeps_activity: false, has_webhooks: false }, on),
    pages: pagesOf(shown, { enableGraphql: true, hasAuthenticators }, everyFeaturePage),
    providers: chosen(others, { providers: [] }, on).providers,
    assets,
    languages: createLanguages(config),
  };
}

test('every page is in English what it was', async () => {
  const renderers = variants.map(({ name, on }) => ({ name, render: createRenderer(partsWith(on)) }));
  const pages = [...partsWith(switches).pages, 'not-found'];
  const parts = [legend(variants.map(({ name }) => name))];
  for (const page of pages) {
    const renderings = await Promise.all(
      renderers.map(async ({ name, render }) => ({ variant: name, text: `${await render(page, english)}` })),
    );
    parts.push(recorded(page, renderings, elements));
  }
  await expect(`${parts.join('\n')}\n`).toMatchFileSnapshot('pages.txt');
});

test('every text of a page is a message or data', async () => {
  const words = createWords([pseudoOf(shipped('en')), shipped('en')]);
  const data = [
    ...['Pages &amp; Co', 'A tagline', 'Privacy', 'help@example.org', 'editor', 'viewer'],
    ...['string', 'number', 'boolean', 'date'].map(type => `Label of a ${type}`),
    ...others.providers.map(({ label }) => label),
  ];
  const left: string[] = [];
  for (const on of [switches, []]) {
    const parts = partsWith(on);
    const render = createRenderer(parts);
    for (const page of [...parts.pages, 'not-found']) {
      const outside = outsideOfBrackets(`${await render(page, words)}`, data);
      left.push(...outside.map(text => `${page}: ${text}`));
    }
  }
  expect(left).toEqual([]);
});
