// The account page.
import { api, leaveForLogin, leaveNotice, page, session } from './client.js';
import { element, onPress, onSubmit, say, sayProblem, toProblem } from './forms.js';
import { openPhone } from './phone.js';
import { openProviders } from './providers.js';
import { fill, showStep } from './steps.js';

const find = selector => document.querySelector(selector);

export async function account() {
  // Another tab may have ended the session, or begun that of somebody else.
  addEventListener('storage', ({ key }) => {
    if (key !== null && key !== 'svc.access_token') return;
    if (session.token) location.reload();
    else leaveForLogin('signed_out');
  });
  if (!session.token) return leaveForLogin('sign_in');

  onPress(find('[data-retry]'), find('[data-failed]'), load);
  onSubmit(find('#profile'), async ({ full_name }) => {
    show(await api('PATCH', '/me', { full_name: full_name || null }));
    done('profile', 'Your name is saved.');
  });
  onSubmit(
    find('#email-change'),
    async values => {
      await api('POST', '/change-email', values);
      done(
        'email-change',
        `Open the link in the mail to ${values.new_email}. Until then your address stays as it is.`,
      );
    },
    withoutPassword,
  );
  onSubmit(
    find('#password-change'),
    async values => {
      await api('POST', '/change-password', values);
      return leave('password_changed');
    },
    withoutPassword,
  );
  const toast = find('[data-notice]');
  // It has been read when the person goes on.
  for (const type of ['click', 'submit']) document.addEventListener(type, () => say(toast, ''), true);
  const signOut = everywhere => async () => {
    await api('POST', '/logout', { everywhere });
    return leave(everywhere ? 'signed_out_everywhere' : 'signed_out');
  };
  onPress(find('[data-sign-out]'), toast, signOut(false));
  onPress(find('[data-sign-out-everywhere]'), toast, signOut(true));
  document.addEventListener('keydown', ({ key, target, isComposing }) => {
    const panel = target.closest?.('details.panel[open]');
    if (key === 'Escape' && panel && !isComposing) closePanel(panel);
  });
  openDeletion();
  await load();
}

async function load() {
  try {
    const user = await api('GET', '/me');
    show(user);
    openPhone(show, done, withoutPassword);
    await openProviders();
    showStep('account');
  } catch (error) {
    showStep('failed');
    sayProblem(find('[data-failed]'), toProblem(error));
  }
}

/** Puts what the API says of the account onto the page, always as text. */
function show(user) {
  fill({
    email: user.email,
    full_name: user.full_name || 'Not given',
    phone_number: user.phone_number ?? '',
  });
  find('#profile').elements.full_name.defaultValue = user.full_name ?? '';
  for (const part of document.querySelectorAll('[data-when]')) {
    const isNot = part.dataset.when.startsWith('!');
    part.hidden = Boolean(user[part.dataset.when.replace('!', '')]) === isNot;
  }
  // For password managers, which keep a password by its user name.
  for (const field of document.querySelectorAll('[data-username]')) field.defaultValue = user.email;
  const confirmation = find('#deletion-confirmation');
  if (confirmation) confirmation.dataset.same = user.email;
}

/** Closes the panel of a form that did its work, and says so. */
function done(id, sentence) {
  const form = document.getElementById(id);
  form.reset();
  say(find('[data-notice]'), 'success', sentence);
  closePanel(form.closest('details'));
}

function closePanel(panel) {
  panel.open = false;
  panel.querySelector('summary').focus();
}

/** Where the API asks for a password that the account doesn't have, the page says how to get one. */
function withoutPassword({ code }, region) {
  if (code !== 'password_not_set') return false;
  const link = find('[data-can-reset]') && element('a', { href: page('forgot') }, 'Set a password by mail');
  say(region, 'warning', 'Your account has no password yet. ', ...(link ? [link, ', then come back.'] : []));
  return true;
}

function openDeletion() {
  const dialog = find('#deletion');
  // Where accounts cannot be deleted there is nothing to open.
  if (!dialog) return;
  const form = dialog.querySelector('form');
  find('[data-open-deletion]').addEventListener('click', () => dialog.showModal());
  dialog.querySelector('[data-cancel]').addEventListener('click', () => dialog.close());
  dialog.addEventListener('close', () => form.reset());
  onSubmit(
    form,
    async ({ current_password }) => {
      await api('DELETE', '/account', { current_password });
      return leave('account_deleted');
    },
    withoutPassword,
  );
}

/** Ends the session in this browser and says on the login page why. */
function leave(notice) {
  session.end();
  leaveNotice(notice);
  location.replace(page('login'));
  return new Promise(() => {});
}
