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
