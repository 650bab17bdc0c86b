// Signing in with a passkey: by a button, and by autofill in the field of the address.

import { getPasskey, hasPasskeys, offersPasskeys } from '../src/client/core.ts';
import { enter } from './entrance.js';
import { onPress, sayProblem, toProblem } from './forms.js';
import { api } from './session.js';

/** @import { Explain } from './types.d.ts' */

/** A challenge is good for five minutes; before that, the browser gets another one to offer passkeys for. */
const offerMs = 240_000;

/**
 * Connects the button, and has the browser offer passkeys by autofill. `explain` may show errors in its own way.
 * @param {HTMLButtonElement} button
 * @param {HTMLElement} region
 * @param {Explain} explain
 */
export function openPasskeyLogin(button, region, explain) {
  if (!hasPasskeys()) return;
  let offered = new AbortController();

  const start = () => api.startPasskeyLogin();
  /** @param {string} id @param {Record<string, unknown>} credential */
  const finish = async (id, credential) => enter(await api.loginWithPasskey({ id, credential }));

  async function offer() {
    if (!(await offersPasskeys())) return;
    offered = new AbortController();
    const { signal } = offered;
    const timer = setTimeout(renew, offerMs);
    try {
      const { id, options } = await start();
      const credential = await getPasskey(options, { mediation: 'conditional', signal });
      await finish(id, credential).catch(error => {
        const problem = toProblem(error);
        if (!explain(problem, region)) sayProblem(region, problem);
        return offer();
      });
    } catch {
      // The person has not asked for a passkey yet: the form and the button report errors when they are used.
    } finally {
      clearTimeout(timer);
    }
  }

  function renew() {
    offered.abort();
    if (!document.hidden) offer();
    else document.addEventListener('visibilitychange', () => offer(), { once: true });
  }

  const signIn = async () => {
    // The browser asks one thing at a time.
    offered.abort();
    try {
      const { id, options } = await start();
      await finish(id, await getPasskey(options));
    } catch (error) {
      offer();
      throw error;
    }
  };
  button.hidden = false;
  onPress(button, region, signIn, explain);
  return offer();
}
