// The language of the pages, where there is a choice: a cookie names it, and nothing else.

/** Has the pages be in this language from the next one on. @param {string} tag */
function keep(tag) {
  const secure = location.protocol === 'https:' ? '; Secure' : '';
  // biome-ignore lint/suspicious/noDocumentCookie: Not every browser has the Cookie Store.
  document.cookie = `svc-locale=${tag}; Path=/; SameSite=Lax; Max-Age=31536000${secure}`;
}

/** The languages that people can choose. */
const offered = document.body.dataset.svcLocales?.split(' ') ?? [];

/** Has the pages be in the language of a person, where it is another one. @param {string | null | undefined} tag */
export function adopt(tag) {
  // An address that names the language does so for its page alone.
  const isForThisPage = new URL(location.href).searchParams.has('lang');
  const isOther = isForThisPage || tag !== document.documentElement.lang;
  if (tag && isOther && offered.includes(tag)) keep(tag);
}

/** Has this page be in another language. @param {string} tag */
export function change(tag) {
  keep(tag);
  reload();
}

/** Loads this page again, in the language that is kept. */
function reload() {
  const address = new URL(location.href);
  address.searchParams.delete('lang');
  // The token of a link and the final state of a page are in the state.
  history.replaceState(history.state, '', address);
  location.reload();
}

/** Lets the links to other languages keep the address, and the choice. */
export function offer() {
  for (const link of document.querySelectorAll('[data-locale]')) {
    link.addEventListener('click', event => {
      const { ctrlKey, metaKey, shiftKey } = /** @type {MouseEvent} */ (event);
      if (ctrlKey || metaKey || shiftKey || !(link instanceof HTMLElement)) return;
      event.preventDefault();
      change(link.dataset.locale ?? '');
    });
  }
}
