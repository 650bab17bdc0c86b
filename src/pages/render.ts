import { contactUrl } from '../config/contact-url.ts';
import type { Config } from '../config/schema.ts';
import type { FeaturesView } from '../contract/views/features.ts';
import { googleIssuer } from '../oauth/settings.ts';
import { wordsOfService } from '../passwords/own-words.ts';
import { createTemplates, languageOf } from '../templates.ts';
import { type ByLanguage, textIn } from '../words/by-language.ts';
import type { Languages } from '../words/languages.ts';
import type { Words } from '../words/words.ts';
import { type Asset, addressOf } from './assets.ts';
import { bundleOf, messagesModule } from './messages-module.ts';
import { ownFieldsFor } from './own-fields.ts';

/** An identity provider as pages know it: its name in paths, such as `google`, and what its button shows. */
export interface ProviderOfPages {
  name: string;
  label: string;
  kind: string;
  issuer?: string;
}

/** Returns the mark of a provider: `google`, or the kind; null for one whose mark is not known. */
const markOf = ({ kind, issuer }: ProviderOfPages): string | null =>
  kind !== 'oidc' ? kind : issuer === googleIssuer ? 'google' : null;

export interface RenderParts {
  config: Pick<
    Config,
    | 'apiPrefix'
    | 'uiPrefix'
    | 'defaultLocale'
    | 'staticPrefix'
    | 'extraTemplateDirs'
    | 'homeUrl'
    | 'footerLinks'
    | 'themeCssUrl'
    | 'brandLogoUrl'
    | 'brandTagline'
    | 'supportContact'
    | 'smsCodeLength'
    | 'baseUrl'
    | 'passwordBlocklist'
    | 'userFields'
    | 'roles'
    | 'mailStore'
    | 'oauth'
    | 'enumerationSafeRegistration'
  >;
  features: FeaturesView;
  languages: Languages;
  /** The variables of optional capabilities. */
  ofFeatures: Readonly<Record<string, unknown>>;
  /** The names of the pages that exist. */
  pages: string[];
  /** The identity providers that can be used. */
  providers: ProviderOfPages[];
  assets: Map<string, Asset>;
  /** The path of the inbox of development; absent elsewhere. */
  developmentInbox?: string | undefined;
}

/**
 * Renders `pages/<name>.liquid`. A page contains nothing of any request or user, so each is rendered once in each language. The filter
 * `asset` converts the name of a static file to its address.
 */
export function createRenderer({
  config,
  features,
  languages,
  ofFeatures,
  pages,
  providers,
  assets,
  developmentInbox,
}: RenderParts) {
  const asset = (name: string) => {
    const found = assets.get(name);
    return `${config.staticPrefix}/${found ? addressOf(found) : name}`;
  };
  const { extraTemplateDirs } = config;
  const template = createTemplates({ extraTemplateDirs, form: 'markup', filters: { asset } });
  const variables = {
    app_name: features.app_name,
    features,
    locales: languages.isChoice ? languages.list() : [],
    pages,
    providers: providers.map(({ name }) => name),
    provider_marks: Object.fromEntries(providers.map(each => [each.name, markOf(each)])),
    provider_labels: Object.fromEntries(providers.map(({ name, label }) => [name, label])),
    api: config.apiPrefix,
    ui: config.uiPrefix,
    home_url: config.homeUrl,
    theme_css_url: config.themeCssUrl,
    brand_logo_url: config.brandLogoUrl,
    support_contact: config.supportContact,
    support_url: config.supportContact && contactUrl(config.supportContact),
    code_length: config.smsCodeLength,
    password_words: config.passwordBlocklist
      ? JSON.stringify(wordsOfService({ appName: features.app_name, baseUrl: config.baseUrl }))
      : undefined,
    enumeration_safe: config.enumerationSafeRegistration,
    requires_code_challenge: config.oauth.requireCodeChallenge,
    roles: config.roles,
    development_inbox: developmentInbox,
    stores_messages: config.mailStore === 'database',
    ...ofFeatures,
  };
  const rendered = new Map<string, Promise<Buffer>>();

  /** What the host has written in the language of a page. */
  const ofHost = (words: Words) => {
    const textOf = (text: string | ByLanguage) => textIn(text, words.locale, config.defaultLocale);
    return {
      footer_links: Object.values(config.footerLinks).map(({ url, label, labels }) => ({
        ...{ url, label: textOf(labels ?? label) },
      })),
      brand_tagline: config.brandTagline && textOf(config.brandTagline),
      own_fields: ownFieldsFor('user', config, textOf),
      admin_fields: ownFieldsFor('admin', config, textOf),
    };
  };

  async function make(name: string, words: Words): Promise<Buffer> {
    const messages = `${config.staticPrefix}/${addressOf(messagesModule(bundleOf(name), words))}`;
    return Buffer.from(
      await template(
        `pages/${name}.liquid`,
        { ...variables, ...ofHost(words), page: name, messages, ...languageOf(words) },
        words,
      ),
    );
  }

  return function render(name: string, words: Words): Promise<Buffer> {
    const key = `${words.locale} ${name}`;
    const page = rendered.get(key) ?? make(name, words);
    rendered.set(key, page);
    // A file that cannot be read now may be readable at the next request.
    page.catch(() => rendered.delete(key));
    return page;
  };
}
