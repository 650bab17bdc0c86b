// Signing in: the login page and the second step.
import { api, isSignedIn, leaveNotice, page } from './client.js';
import { destination, enter, goOn, pendingKey } from './entrance.js';
import { element, onPress, onSubmit, say } from './forms.js';
import { startAt } from './oauth.js';
import { wordsFor, wordsForReturn } from './words.js';

export async function login() {
  const form = document.querySelector('form');
  const region = form.querySelector('[data-message]');
  const wasReturned = sayReturn(region);
  onSubmit(form, async values => enter(await api('POST', '/login', values)), explainLogin);
  for (const button of document.querySelectorAll('[data-starts]'))
    onPress(button, region, () => startAt(button.dataset.starts, destination()));
  // Somebody who is signed in already goes on.
  if (!wasReturned && (await isSignedIn())) await goOn();
}

/** What the provider's answer came to, in words; the code leaves the address. */
function sayReturn(region) {
  const url = new URL(location.href);
  const words = wordsForReturn(url.searchParams.get('error'));
  if (!url.searchParams.has('error')) return false;
  url.searchParams.delete('error');
  history.replaceState(null, '', url);
  if (words) say(region, 'danger', words);
  return words !== null;
}

function explainLogin(problem, region) {
  if (problem.code !== 'email_not_verified') return false;
  const button = element('button', { type: 'button', class: 'link-button' }, 'Send the mail again');
  onPress(button, region, async () => {
    await api('POST', '/resend-verification', { email: document.querySelector('#email').value });
    say(region, 'success', 'If the address waits for it, a new link is on its way.');
  });
  say(region, 'warning', wordsFor(problem), element('div', { class: 'notice-actions' }, button));
  return true;
}

export function secondStep() {
  const pending = sessionStorage.getItem(pendingKey);
  if (!pending) {
    leaveNotice('sign_in');
    location.replace(page('login'));
    return;
  }
  const again = page('login') + location.search;
  const confirm = async ({ code }) => {
    const input = { mfa_pending_token: pending, code: code.replace(/\s/g, '') };
    const answer = await api('POST', '/login/mfa-confirm', input);
    sessionStorage.removeItem(pendingKey);
    await enter(answer);
  };
  const overFor = {
    invalid_token: 'That took too long.',
    LOCKED: 'That was the last try for this code.',
    mfa_code_expired: 'This code has expired.',
    mfa_code_missing: 'This code does not count any more.',
  };
  onSubmit(document.querySelector('form'), confirm, ({ code }, region) => {
    if (!Object.hasOwn(overFor, code)) return false;
    sessionStorage.removeItem(pendingKey);
    const link = element('a', { href: again }, 'Sign in again to get a new code');
    say(region, 'danger', `${overFor[code]} `, link, '.');
    return true;
  });
  document.querySelector('[data-again]').href = again;
  document.querySelector('form').elements.code.focus();
}
