import type { Config } from '../config/schema.ts';

/** A link that contains a token, and the same link without it, for logs. */
export interface Link {
  url: string;
  url_without_token: string;
}

/**
 * Returns a configured address with a value inserted: in place of `{name}` if the address contains it, else as a query
 * parameter. The address comes only from the configuration, never from a request (host header injection).
 */
export function linkTo(address: string, name: 'token' | 'id', value: string): Link {
  const placeholder = `{${name}}`;
  if (address.includes(placeholder)) {
    return { url: address.replace(placeholder, encodeURIComponent(value)), url_without_token: address };
  }
  const url = new URL(address);
  url.searchParams.set(name, value);
  return { url: url.href, url_without_token: address };
}

/** The settings that determine the links in mails. */
export type LinkConfig = Pick<
  Config,
  'urls' | 'baseUrl' | 'uiPrefix' | 'enableUiRouter' | 'locales' | 'defaultLocale'
>;

/**
 * Returns an address in the language of the person who is written to: `{locale}` becomes its tag, and a page of Gatehouse
 * is told it where there are several.
 */
export function addressFor(config: LinkConfig, address: string, locale: string | null | undefined): string {
  const { locales, defaultLocale, baseUrl, uiPrefix, enableUiRouter } = config;
  const tag = locale && locales.includes(locale) ? locale : defaultLocale;
  const placed = address.replaceAll('{locale}', tag).replaceAll('%7Blocale%7D', tag);
  const isOwn = enableUiRouter && placed.startsWith(`${baseUrl}${uiPrefix}/`);
  const [page = '', ...fragment] = placed.split('#');
  if (locales.length < 2 || !isOwn || /[?&]lang=/.test(page)) return placed;
  // As text, because a URL would encode the braces of `{token}`.
  return [`${page}${page.includes('?') ? '&' : '?'}lang=${tag}`, ...fragment].join('#');
}

/** Returns the link of a mail to one of the pages of `[urls]`, with a token, in the language of its reader. */
export const mailLink = (
  config: LinkConfig,
  page: keyof Config['urls'],
  token: string,
  locale: string | null | undefined,
): Link => linkTo(addressFor(config, config.urls[page], locale), 'token', token);

/** The settings that determine the addresses of the pages. */
export type PageConfig = Pick<
  Config,
  'baseUrl' | 'uiPrefix' | 'enableUiRouter' | 'enablePasswordReset' | 'urls'
>;

/**
 * Returns the page where a signed-out user requests a new password: the bundled one, else the application's own login
 * page; null where there is none, or where passwords are not reset by email.
 */
export function forgotPage(config: PageConfig): string | null {
  const bundled = `${config.baseUrl}${config.uiPrefix}`;
  if (!config.enablePasswordReset) return null;
  if (config.enableUiRouter) return `${bundled}/forgot`;
  return config.urls.login === `${bundled}/login` ? null : config.urls.login;
}
