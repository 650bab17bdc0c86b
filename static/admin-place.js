// The operator's place: the part after the `#` of the address, which no server and no log sees. `#users?search=ada`,
// `#user?id=…`, `#pending`.

let follow = () => {};

/**
 * Calls back at once and whenever the operator moves to another place, by link, button, or back and forward.
 * @param {() => void} callback
 */
export function onMove(callback) {
  follow = callback;
  addEventListener('popstate', callback);
  // A browser that follows a link to a section by itself takes the focus from its heading.
  addEventListener('click', event => {
    if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = event.target instanceof Element && event.target.closest('a[href^="#"]');
    if (!(link instanceof HTMLAnchorElement)) return;
    event.preventDefault();
    moveTo(link.hash, { replace: link.hash === location.hash });
  });
  callback();
}

export function place() {
  const [view, query = ''] = location.hash.slice(1).split('?');
  return { view: view || 'users', query: new URLSearchParams(query) };
}

/** @type {(view: string, query?: Record<string, string>) => string} */
export function addressOf(view, query = {}) {
  const text = new URLSearchParams(query).toString();
  return `#${view}${text && `?${text}`}`;
}

/**
 * Moves to this address; `state` stays with this entry of the history, also after a reload.
 * @param {string} address
 * @param {{ replace?: boolean, state?: unknown }} [options]
 */
export function moveTo(address, { replace = false, state = null } = {}) {
  history[replace ? 'replaceState' : 'pushState'](state, '', address);
  follow();
}
