// Where the operator is: behind the `#` of the address, which no server and no log sees. `#users?search=ada`,
// `#user?id=…`, `#pending`.

let follow = () => {};

/** Calls back at once and whenever the operator goes somewhere, by link, button, or back and forward. */
export function onMove(callback) {
  follow = callback;
  addEventListener('popstate', callback);
  callback();
}

export function place() {
  const [view, query] = location.hash.slice(1).split('?');
  return { view: view || 'users', query: new URLSearchParams(query) };
}

export function addressOf(view, query = {}) {
  const text = new URLSearchParams(query).toString();
  return `#${view}${text && `?${text}`}`;
}

/** Goes there; `state` stays with this entry of the history, over a reload too. */
export function moveTo(address, { replace = false, state = null } = {}) {
  history[replace ? 'replaceState' : 'pushState'](state, '', address);
  follow();
}
