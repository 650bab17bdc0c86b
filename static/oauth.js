// Signing in with a provider. Whoever picks the result up must have started it: the verifier stays in this browser
// and only its hash leaves it (RFC 7636).
import { api, takeFromAddress } from './client.js';
import { enter } from './entrance.js';
import { sayProblem, toProblem } from './forms.js';
import { showStep } from './steps.js';

const verifierKey = 'svc.oauth_verifier';

const base64url = bytes =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

/** Leaves for the provider; `next` is where to go afterwards. */
export async function startAt(address, next) {
  const url = new URL(address, location.origin);
  if (next) url.searchParams.set('redirect_to', next.slice(location.origin.length));
  // Browsers have it on https and on loopback only.
  if (crypto.subtle) {
    const verifier = base64url(crypto.getRandomValues(new Uint8Array(32)));
    sessionStorage.setItem(verifierKey, verifier);
    const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier));
    url.searchParams.set('code_challenge', base64url(new Uint8Array(hash)));
  }
  location.assign(url);
  return new Promise(() => {});
}

/** Leaves for the provider to connect it to the account. */
export async function startLink(provider) {
  const { authorization_url } = await api('POST', `/oauth/${provider}/link/start`, {});
  location.assign(authorization_url);
  return new Promise(() => {});
}

/** Picks up a finished sign-in. */
export async function complete() {
  const id = takeFromAddress('id');
  if (!id) return showStep('over');
  const region = document.querySelector('[data-message]');
  const again = document.querySelector('[data-try-again]');
  async function exchange() {
    showStep('waiting');
    try {
      const verifier = sessionStorage.getItem(verifierKey);
      // A browser that could have sent a challenge, and kept no verifier, has started nothing.
      if (!verifier && crypto.subtle) return showStep('elsewhere');
      const answer = await api('POST', '/oauth/exchange', { id, code_verifier: verifier });
      sessionStorage.removeItem(verifierKey);
      history.replaceState(null, '');
      await enter(answer, answer.redirect_to);
    } catch (error) {
      const problem = toProblem(error);
      if (problem.code === 'not_found') return showStep('over');
      if (problem.code === 'invalid_token') return showStep('elsewhere');
      showStep('failed');
      sayProblem(region, problem);
    }
  }
  again.addEventListener('click', exchange);
  await exchange();
}
