// Signing in with a provider. Only the browser that started a sign-in can collect its result: the verifier stays in this
// browser and only its hash leaves it (PKCE, RFC 7636).
import { toBase64url } from './base64url.js';
import { enter } from './entrance.js';
import { sayProblem, toProblem } from './forms.js';
import { buttonOf, part } from './parts.js';
import { api, beforeProviderKey, recentKey, takeFromAddress } from './session.js';
import { showStep } from './steps.js';

const verifierKey = 'svc.oauth_verifier';
/** How long ago people may have signed in at the provider when a recent sign-in is needed, in seconds. */
const recentSeconds = '60';

/**
 * Goes to the provider; `next` is where to go afterwards.
 * @param {string} address
 * @param {string | null} next
 */
export async function startAt(address, next) {
  const url = new URL(address, location.origin);
  const path = next?.slice(location.origin.length) ?? '';
  if (path) url.searchParams.set('redirect_to', path);
  sessionStorage.setItem(beforeProviderKey, path);
  if (sessionStorage.getItem(recentKey)) url.searchParams.set('max_age', recentSeconds);
  // Browsers provide it only on https and on loopback.
  if (crypto.subtle) {
    const verifier = toBase64url(crypto.getRandomValues(new Uint8Array(32)));
    sessionStorage.setItem(verifierKey, verifier);
    const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier));
    url.searchParams.set('code_challenge', toBase64url(new Uint8Array(hash)));
  }
  location.assign(url);
  return new Promise(() => {});
}

/** Goes to the provider to connect it to the account. @param {string} provider */
export async function startLink(provider) {
  const { authorizationUrl } = await api.startOAuthLink({ provider });
  location.assign(authorizationUrl);
  return new Promise(() => {});
}

/** Collects the result of a finished sign-in. */
export async function complete() {
  const id = takeFromAddress('id');
  if (!id) return showStep('over');
  const region = part('[data-message]');
  const again = buttonOf('[data-try-again]');
  const exchange = async () => {
    showStep('waiting');
    try {
      const verifier = sessionStorage.getItem(verifierKey);
      // A browser that could have sent a challenge, and has no verifier, did not start this sign-in.
      if (!verifier && crypto.subtle) return showStep('elsewhere');
      const answer = await api.exchangeOAuth({ id, codeVerifier: verifier });
      for (const key of [verifierKey, beforeProviderKey]) sessionStorage.removeItem(key);
      history.replaceState(null, '');
      await enter(answer, answer.redirectTo);
    } catch (error) {
      const problem = toProblem(error);
      if (problem.code === 'not_found') return showStep('over');
      if (problem.code === 'invalid_token') return showStep('elsewhere');
      showStep('failed');
      sayProblem(region, problem);
    }
  };
  again.addEventListener('click', exchange);
  await exchange();
}
