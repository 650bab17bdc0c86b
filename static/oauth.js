// Signing in with a provider. Only the browser that started a sign-in can collect its result: the verifier stays in this
// browser and only its hash leaves it (PKCE, RFC 7636).
import { enter } from './entrance.js';
import { sayProblem, toProblem } from './forms.js';
import { buttonOf, part } from './parts.js';
import { api, beforeProviderKey, recentKey, takeFromAddress } from './session.js';
import { showStep } from './steps.js';

const verifierKey = 'svc.oauth_verifier';
const linkVerifierKey = 'svc.oauth_link_verifier';
/** The codes after which a link that came back can no longer end. */
const finalRefusals = new Set(['not_found', 'invalid_token', 'identity_in_use', 'already_linked']);
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
  const challenge = await newChallenge(verifierKey);
  if (challenge) url.searchParams.set('code_challenge', challenge);
  location.assign(url);
  return new Promise(() => {});
}

/** Keeps a new verifier under this key. Returns its challenge, or null in a browser that cannot make one. @param {string} key */
async function newChallenge(key) {
  // Browsers provide it only on https and on loopback.
  if (!crypto.subtle) return null;
  const verifier = toBase64url(crypto.getRandomValues(new Uint8Array(32)));
  sessionStorage.setItem(key, verifier);
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier));
  return toBase64url(new Uint8Array(hash));
}

/** Goes to the provider to connect it to the account. @param {string} provider */
export async function startLink(provider) {
  const needsChallenge = 'svcCodeChallenge' in document.body.dataset;
  const codeChallenge = needsChallenge ? await newChallenge(linkVerifierKey) : null;
  const { authorizationUrl } = await api.startOAuthLink({
    provider,
    ...(codeChallenge && { codeChallenge }),
  });
  location.assign(authorizationUrl);
  return new Promise(() => {});
}

/**
 * Ends the link that the browser came back with. Returns the provider that is linked now, or null without such a link.
 * @throws {GatehouseError} not_found where this browser did not start it
 */
export async function finishLink() {
  const id = takeFromAddress('id');
  if (!id) return null;
  const codeVerifier = sessionStorage.getItem(linkVerifierKey);
  function forget() {
    const { id: _, ...state } = history.state;
    history.replaceState(state, '');
    sessionStorage.removeItem(linkVerifierKey);
  }
  try {
    const { provider } = await api.finishOAuthLink({ id, codeVerifier });
    forget();
    return provider;
  } catch (error) {
    // After an outage or a limit, loading the page again ends the link.
    if (finalRefusals.has(toProblem(error).code)) forget();
    throw error;
  }
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

/** Returns bytes as text for addresses (RFC 4648 §5, without padding). @param {Uint8Array} bytes */
const toBase64url = bytes =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
