// The addresses of the pages, and what one page leaves for the next.

/** The paths of the API and the pages: `/api/auth`, `/account`. */
export const { svcApi: apiPrefix = '', svcUi: uiPrefix } = document.body.dataset;

/** Returns the address of another page: `page('me')`. @type {(name: string) => string} */
export const page = name => `${uiPrefix}/${name}`;

/** Where the user was going before an email was requested. The next user of this browser is not led there. */
export const beforeEmailKey = 'svc.before_email';

/** Where the user was going when the sign-in with a provider began, for when it fails; kept in this tab. */
export const beforeProviderKey = 'svc.before_provider';

/** Leaves a code for the next page, which shows its sentence. @param {string} code */
export function leaveNotice(code) {
  sessionStorage.setItem('svc.notice', code);
}

export function takeNotice() {
  const code = sessionStorage.getItem('svc.notice');
  sessionStorage.removeItem('svc.notice');
  return code;
}

const addressKey = 'svc.login_address';

/** Leaves an email address for the login page of this tab, which fills it in. @param {string} email */
export const leaveAddress = email => sessionStorage.setItem(addressKey, email);

export function takeAddress() {
  const email = sessionStorage.getItem(addressKey);
  sessionStorage.removeItem(addressKey);
  return email;
}

/** Characters that could begin another host, or that a browser would silently remove. */
const suspicious = /[\p{Cc}\s\\]/u;

/**
 * Returns the address where the user was going, if it is a page of this site, otherwise null (open redirect).
 * @param {string | null} text
 */
export function samePage(text) {
  const { origin } = location;
  if (text === null) return null;
  const isPath = /^\/(?!\/)/.test(text);
  const isOurs = ['/', '?', '#'].some(next => text.startsWith(`${origin}${next}`));
  if (!(isPath || isOurs) || suspicious.test(text) || !URL.canParse(text, origin)) return null;
  const url = new URL(text, origin);
  // A path such as `/.//x` becomes `//x`, which would name a host.
  const isOne = url.origin === origin && !url.username && !url.password && !url.pathname.startsWith('//');
  return isOne ? url.href : null;
}

/**
 * Returns one value of the address and removes it there, so that it is neither seen, stored nor passed on.
 * @param {string} name
 * @returns {string | null}
 */
export function takeFromAddress(name) {
  const url = new URL(location.href);
  const value = url.searchParams.get(name);
  if (value !== null) {
    url.searchParams.delete(name);
    history.replaceState({ ...history.state, [name]: value }, '', url);
  }
  // Survives a reload.
  return history.state?.[name] ?? null;
}
