// The console's door: who may use it, and how others get in.
import { api, onForbidden, wordsOf } from './admin-api.js';
import { openConsole } from './admin-console.js';
import { byId, complain, fill, notify } from './admin-parts.js';
import { leaveForLogin, leaveNotice, page, session } from './client.js';
import { busy } from './forms.js';

/** Where the operator was when the session ended; kept in this tab, because no server should see it. */
const placeKey = 'svc.console_place';

byId('sign-out').addEventListener('click', ({ currentTarget }) => busy(currentTarget, signOut));
byId('start-retry').addEventListener('click', ({ currentTarget }) => busy(currentTarget, start));
// What stands behind the `#` is the operator's place, so this link must not change it.
document.querySelector('.skip-link').addEventListener('click', event => {
  event.preventDefault();
  byId('main').focus();
});
addEventListener('storage', ({ key }) => key === 'svc.access_token' && location.reload());
addEventListener('pagehide', () => !session.token && sessionStorage.setItem(placeKey, location.hash));

if (session.token) start();
else leaveForLogin();

async function start() {
  display('starting');
  try {
    const you = await api.me();
    for (const element of document.querySelectorAll('[data-you]')) element.textContent = you.email;
    byId('account').hidden = false;
    onForbidden(() => turnAway(you));
    if (!you.isSuperuser) return turnAway(you);
    returnToPlace();
    display('console');
    openConsole(you);
  } catch (problem) {
    fill(byId('start-failure'), { reason: wordsOf(problem) });
    display('start-failure');
  }
}

/** Shows the one state that the whole page is in. */
function display(id) {
  for (const state of ['starting', 'start-failure', 'turned-away', 'console'])
    byId(state).hidden = state !== id;
}

function turnAway({ email }) {
  for (const dialog of document.querySelectorAll('dialog[open]')) dialog.close();
  fill(byId('turned-away'), { command: `svc create-admin --email '${email.replaceAll("'", "'\\''")}'` });
  notify();
  display('turned-away');
  byId('turned-away-title').focus();
}

function returnToPlace() {
  const place = sessionStorage.getItem(placeKey);
  sessionStorage.removeItem(placeKey);
  if (place && !location.hash) history.replaceState(null, '', place);
}

async function signOut() {
  try {
    await api.signOut();
  } catch (problem) {
    return complain(wordsOf(problem));
  }
  history.replaceState(null, '', location.pathname);
  session.end();
  leaveNotice('signed_out');
  location.replace(page('login'));
}
