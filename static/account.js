// The account page.

import { openActivity } from './activity.js';
import { openAuthenticators, showAuthenticators } from './authenticators.js';
import { explainUnverified } from './entrance.js';
import { onPress, onSubmit, say, sayProblem, toProblem } from './forms.js';
import { change } from './language.js';
import { fillOwnFields, ownFieldsOf } from './own-fields.js';
import { buttonOf, fieldOf, fill, formOf, part, partsOf } from './parts.js';
import { endsApiKeys } from './password.js';
import { openPhone } from './phone.js';
import { openProviders } from './providers.js';
import { api, leaveForLogin, leaveNotice, page, session, signOut } from './session.js';
import { openSessions, showSessions } from './sessions.js';
import { openSignInAgain } from './sign-in-again.js';
import { rest, showStep } from './steps.js';
import { listed, t } from './words.js';

/** @import { Explain, User } from './types.d.ts' */

/**
 * The account as far as the page knows it.
 * @type {Partial<User> & { hasPassword: boolean, mustEnrol: boolean, phoneNeedsConfirmation: boolean }}
 */
const known = { hasPassword: true, mustEnrol: false, phoneNeedsConfirmation: false };

export async function account() {
  // Another tab may have ended the session, or started one of another account.
  addEventListener('storage', ({ key }) => {
    if (key !== null && key !== 'svc.access_token') return;
    if (session.token) location.reload();
    else leaveForLogin('signed_out');
  });
  if (!session.token) return leaveForLogin('sign_in');

  onPress(buttonOf('[data-retry]'), part('[data-failed]'), load);
  onSubmit(formOf('#profile'), async ({ fullName }) => {
    show(await api.updateProfile({ fullName: fullName || null }));
    done('profile', t('page_your_name_is_saved'));
  });
  if ('svcLocales' in document.body.dataset) {
    onSubmit(formOf('#language'), async ({ locale = '' }) => {
      await api.updateProfile({ locale });
      change(locale);
    });
  }
  for (const form of partsOf('form[data-own]')) {
    onSubmit(form, async () => {
      show(await api.updateProfile(ownFieldsOf(form)));
      done(form.id, t('page_is_saved', { own: form.dataset.own ?? '' }));
    });
  }
  onSubmit(
    formOf('#email-change'),
    async ({ newEmail = '', currentPassword }) => {
      await api.changeEmail({ newEmail, currentPassword });
      done('email-change', '');
      keepSaying(t('page_open_the_link_in_the', { new_email: newEmail }));
    },
    withoutPassword,
  );
  onSubmit(
    formOf('#password-change'),
    async ({ newPassword = '', currentPassword }) => {
      await api.changePassword({ newPassword, currentPassword, ...endsApiKeys(formOf('#password-change')) });
      return leave('password_changed');
    },
    withoutPassword,
  );
  const toast = part('[data-notice]');
  // A message is cleared when the user goes on.
  for (const type of ['click', 'submit']) document.addEventListener(type, stopSaying, true);
  for (const button of partsOf('button[data-set-password]')) setsPassword(button);
  /** @type {(everywhere: boolean) => () => Promise<unknown>} */
  const logout = everywhere => () => api.logout({ everywhere });
  onPress(buttonOf('[data-sign-out]'), toast, () => signOut(logout(false)));
  onPress(buttonOf('[data-sign-out-everywhere]'), toast, () =>
    signOut(logout(true), 'signed_out_everywhere'),
  );
  document.addEventListener('keydown', ({ key, target, isComposing }) => {
    const panel = target instanceof Element && target.closest('details.panel[open]');
    if (key === 'Escape' && panel instanceof HTMLDetailsElement && !isComposing) closePanel(panel);
  });
  for (const button of partsOf('button[data-keep-added]')) {
    onPress(/** @type {HTMLButtonElement} */ (button), toast, async () => {
      const { message } = await api.keepAddedSince();
      await refresh();
      say(toast, 'success', message);
    });
  }
  openDeletion();
  openSignInAgain();
  openSessions();
  openActivity();
  await openAuthenticators({ done, refresh, explain: unverified });
  await load();
}

/** @type {Explain} */
const unverified = (problem, region) => explainUnverified(problem, region, known.email ?? '');

/** Reads the account and shows it. */
async function refresh() {
  show(await api.me());
  openPhone(refresh, done, (...refusal) => withoutPassword(...refusal) || unverified(...refusal));
  const { count, distrusted, needsConfirmation, hasPassword } = await showAuthenticators();
  showDistrusted(distrusted);
  const mustEnrol = isNamedByPolicy() && !known.isMfaEnabled && count === 0;
  show({ mustEnrol, hasPassword, phoneNeedsConfirmation: needsConfirmation || !known.isMfaEnabled });
  if (known.mustEnrol) return;
  try {
    const connected = await openProviders(refresh, unverified);
    show({ hasPassword: hasPassword && connected.hasPassword });
    showDistrusted([...distrusted, ...connected.distrusted, ...(await openKeys())]);
    await showSessions();
  } catch (error) {
    // A host's template may not name the policy.
    const problem = toProblem(error);
    if (problem.code !== 'mfa_enrolment_required') throw problem;
    show({ mustEnrol: true });
    sayProblem(part('[data-notice]'), problem);
  }
}

/** Shows the API keys, where the page has a panel for them. Returns the names of those that a report has made distrusted. */
async function openKeys() {
  if (!document.querySelector('[data-api-keys]')) return [];
  const { openApiKeys } = await import('./api-keys.js');
  return openApiKeys(refresh, unverified);
}

/** Names what a report has made distrusted, and offers to keep it. @param {string[]} names */
function showDistrusted(names) {
  const hasDistrusted = names.length > 0;
  fill({ distrusted: hasDistrusted ? listed(names) : null, hasDistrusted });
}

/** Returns whether the policy requires a second factor or a passkey of this account. */
function isNamedByPolicy() {
  const [place] = partsOf('[data-enrolment]');
  const { enrolment } = place?.dataset ?? {};
  return enrolment === 'everyone' || (enrolment === 'superusers' && known.isSuperuser === true);
}

const withoutSecondStep = t('page_you_signed_in_without_the');

async function load() {
  try {
    await refresh();
    showStep('account');
    if (known.mustEnrol) document.getElementById('signing-in')?.focus();
    if (history.state?.said) keepSaying(history.state.said);
  } catch (error) {
    showStep('failed');
    const problem = toProblem(error);
    const isWeak = problem.code === 'recent_sign_in_required';
    sayProblem(part('[data-failed]'), problem, isWeak ? () => withoutSecondStep : undefined);
  }
}

/** Shows what is known of the account. @param {Partial<typeof known>} news */
function show(news) {
  const { email = '', fullName, ...more } = Object.assign(known, news);
  const hasNumber = Boolean(more.phoneNumber);
  const phoneNeedsConfirmation = hasNumber && more.phoneNeedsConfirmation;
  const hasPhone = hasNumber && !phoneNeedsConfirmation;
  fill({ initials: initialsOf(fullName || email) });
  fill({ ...more, email, fullName: fullName || null, hasNumber, hasPhone, phoneNeedsConfirmation });
  for (const field of partsOf('input[name="phone_number"]'))
    field.defaultValue = (phoneNeedsConfirmation && more.phoneNumber) || '';
  fieldOf(formOf('#profile'), 'full_name').defaultValue = fullName ?? '';
  fillOwnFields(more.fields);
  const language = partsOf('#locale')[0];
  if (language instanceof HTMLSelectElement) {
    for (const option of language.options)
      option.defaultSelected = option.value === (more.locale ?? document.documentElement.lang);
    fill({ language: [...language.options].find(({ value }) => value === more.locale)?.text ?? null });
  }
  // For password managers, which store a password under its user name.
  for (const field of partsOf('input[data-username]')) field.defaultValue = email;
  for (const field of partsOf('#deletion-confirmation')) field.dataset.same = email;
}

/** Returns the first letters of the first and the last word of a name. @param {string} name */
function initialsOf(name) {
  const words =
    name
      .split('@')[0]
      ?.split(/[\s.]+/)
      .filter(word => /^\p{L}/u.test(word)) ?? [];
  const letters = [words[0], words.length > 1 ? words.at(-1) : ''].map(word => [...(word ?? '')][0] ?? '');
  return letters.join('').toLocaleUpperCase();
}

/** Closes the panel of a form that succeeded, and shows a message. @type {(id: string, sentence: string) => void} */
function done(id, sentence) {
  const form = formOf(`#${id}`);
  form.reset();
  say(part('[data-notice]'), 'success', sentence);
  closePanel(form.closest('details'));
}

/** Shows what the user must do elsewhere, also after a reload. @param {string} sentence */
function keepSaying(sentence) {
  history.replaceState({ said: sentence }, '');
  say(part('[data-notice]'), 'success', sentence);
}

function stopSaying() {
  if (history.state?.said) history.replaceState(null, '');
  say(part('[data-notice]'));
}

/** @param {HTMLDetailsElement | null} panel */
function closePanel(panel) {
  if (!panel) return;
  panel.open = false;
  part('summary', panel).focus();
}

/** If the API asks for a password and the account has none, the page offers to set one. @type {Explain} */
function withoutPassword({ code }) {
  if (code !== 'password_not_set') return false;
  const panel = document.activeElement?.closest('details, dialog');
  show({ hasPassword: false });
  for (const button of panel ? partsOf('[data-set-password]', panel) : []) button.focus();
  return true;
}

/** Makes a button send the email with the link for a first password. @param {HTMLButtonElement} button */
function setsPassword(button) {
  const region = part('[data-message]', button.closest('[data-when]') ?? document);
  onPress(button, region, async () => {
    const { email = '' } = known;
    await api.forgotPassword({ email });
    rest(button);
    const place = button.closest('details, dialog');
    if (place instanceof HTMLDialogElement) place.close();
    else if (place instanceof HTMLDetailsElement) closePanel(place);
    keepSaying(t('page_open_the_link_in_the_email', { email }));
  });
}

function openDeletion() {
  // Without account deletion there is no panel to open.
  if (!document.getElementById('deletion')) return;
  const dialog = part('#deletion', document, HTMLDialogElement);
  const form = formOf('form', dialog);
  part('[data-open-deletion]').addEventListener('click', () => dialog.showModal());
  for (const button of partsOf('[data-cancel]', dialog))
    button.addEventListener('click', () => dialog.close());
  dialog.addEventListener('close', () => form.reset());
  onSubmit(
    form,
    async ({ currentPassword }) => {
      await api.deleteAccount({ currentPassword });
      return leave('account_deleted');
    },
    withoutPassword,
  );
}

/** Ends the session in this browser and shows the reason on the login page. @param {string} notice */
async function leave(notice) {
  await session.end();
  leaveNotice(notice);
  location.replace(page('login'));
  return new Promise(() => {});
}
