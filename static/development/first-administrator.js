// Makes the first administrator of a development installation: the account that is signed in here, or a new one.

const { api = '', ui = '', assets = '' } = document.body.dataset;
/** @type {typeof import('../../src/client/core.ts')} */
const { createClient } = await import(`${assets}/gatehouse-client.js`);
const client = createClient({ url: api });

/** @template {HTMLElement} T @param {string} selector @returns {T} */
const part = selector => /** @type {T} */ (document.querySelector(selector));
const form = /** @type {HTMLFormElement} */ (part('form'));
const button = /** @type {HTMLButtonElement} */ (part('[type=submit]'));
const email = /** @type {HTMLInputElement} */ (part('#email'));
const password = /** @type {HTMLInputElement} */ (part('#password'));
const who = part('[data-who]');
const fresh = part('[data-new]');
const problem = part('[data-problem]');

/** @param {string} text */
function refuse(text) {
  problem.className = `notice${text && ' notice-danger'}`;
  problem.textContent = text;
}

/** Returns a random password, without letters that look alike. */
function newPassword() {
  const letters = 'abcdefghjkmnpqrstuvwxyz23456789';
  const least = Math.max(20, Number(form.dataset.least));
  const bytes = crypto.getRandomValues(new Uint8Array(least));
  return [...bytes].map(byte => letters[byte % letters.length]).join('');
}

// Not kept in the history of the browser.
const token = new URLSearchParams(location.search).get('token');
history.replaceState(null, '', location.pathname);

const account = client.token ? await client.me({}).catch(() => null) : null;
if (account) {
  who.textContent = `${account.email} is signed in here. The account is verified, and becomes the administrator.`;
  who.hidden = false;
  for (const field of [email, password]) field.disabled = true;
} else {
  password.value = newPassword();
  fresh.hidden = false;
}
button.disabled = false;

form.addEventListener('submit', async event => {
  event.preventDefault();
  button.disabled = true;
  refuse('');
  try {
    const response = await fetch('/svc-dev/first-administrator', {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        ...(account && client.token && { Authorization: `Bearer ${client.token}` }),
      },
      body: JSON.stringify({ token, ...(!account && { email: email.value, password: password.value }) }),
    });
    const answer = await response.json();
    if (!response.ok) throw new Error(answer.detail);
    if (answer.created) await client.login({ email: answer.email, password: password.value });
    // Where there are none, the application's own pages know no session either.
    await client.createBrowserSession({}).catch(() => {});
    location.assign(`${ui}/admin`);
  } catch (error) {
    refuse(error instanceof Error ? error.message : String(error));
    button.disabled = false;
  }
});

export {};
