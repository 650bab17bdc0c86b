// The entrance to the console: who may use it, and how to sign in.
import { api, onForbidden, reasonOf } from './admin-api.js';
import { openConsole } from './admin-console.js';
import { complain, notify } from './admin-parts.js';
import { busy, toProblem } from './forms.js';
import { offer } from './language.js';
import { fill, part, partsOf } from './parts.js';
import { leaveForLogin, session, signOut } from './session.js';
import { openSignInAgain } from './sign-in-again.js';

/** @import { You } from './admin-users.js' */

/** The operator's place when the session ended; kept in this tab, because no server should see it. */
const placeKey = 'svc.console_place';

for (const [id, work] of /** @type {const} */ ([
  ['#sign-out', leave],
  ['#start-retry', start],
]))
  part(id).addEventListener('click', () => busy(part(id), work));
// The part after the `#` is the operator's place, so this link must not change it.
part('.skip-link').addEventListener('click', event => {
  event.preventDefault();
  part('#main').focus();
});
addEventListener('storage', ({ key }) => {
  if (key !== 'svc.access_token') return;
  if (session.token) location.reload();
  else leaveForLogin('signed_out');
});
addEventListener('pagehide', () => {
  if (!session.token) sessionStorage.setItem(placeKey, location.hash);
});

openSignInAgain();
offer();
if (session.token) start();
else leaveForLogin('sign_in');

async function start() {
  display('starting');
  try {
    const you = await api.me();
    for (const place of partsOf('[data-you]')) place.textContent = you.email;
    part('#account').hidden = false;
    onForbidden(() => turnAway(you));
    if (!you.isSuperuser) return turnAway(you);
    returnToPlace();
    display('console');
    openConsole(you);
  } catch (error) {
    fill({ reason: reasonOf(toProblem(error)) }, part('#start-failure'));
    display('start-failure');
  }
}

/** Shows one of the states of the whole page. @param {string} id */
function display(id) {
  for (const state of ['starting', 'start-failure', 'turned-away', 'console'])
    part(`#${state}`).hidden = state !== id;
}

/** @param {You} you */
function turnAway({ email }) {
  for (const dialog of partsOf('dialog[open]')) dialog.close();
  const command = `svc create-admin --email '${email.replaceAll("'", "'\\''")}'`;
  fill({ command }, part('#turned-away'));
  notify();
  display('turned-away');
  part('#turned-away-title').focus();
}

function returnToPlace() {
  const place = sessionStorage.getItem(placeKey);
  sessionStorage.removeItem(placeKey);
  if (place && !location.hash) history.replaceState(null, '', place);
}

async function leave() {
  const { hash } = location;
  history.replaceState(null, '', location.pathname);
  try {
    await signOut(() => api.logout());
  } catch (error) {
    history.replaceState(null, '', hash);
    complain(toProblem(error));
  }
}
