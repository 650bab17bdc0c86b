// Making an account, and the link that confirms its address.
import { api, page, session, takeFromAddress } from './client.js';
import { element, onPress, onSubmit, say } from './forms.js';
import { fill, finish, rest, resume, showStep } from './steps.js';

export function register() {
  let email = '';
  const form = document.querySelector('form');
  const field = form.elements.email;
  const make = async values => {
    const answer = await api('POST', '/register', { ...values, full_name: values.full_name || null });
    email = answer.email;
    fill({ email });
    form.reset();
    // Where no verification is asked for, the account is there already.
    showStep(answer.status === 'pending_verification' ? 'sent' : 'done');
  };
  onSubmit(form, make, ({ code }, region) => {
    if (code !== 'email_taken') return false;
    const signIn = element('a', { href: page('login') }, 'Sign in instead');
    say(region, 'danger', 'There is an account with this address already. ', signIn, '.');
    return true;
  });
  document.querySelector('[data-correct]')?.addEventListener('click', () => {
    showStep('form');
    field.value = email;
    field.select();
  });
  resends(() => email);
}

/** The button that asks for the mail once more. */
function resends(email) {
  const button = document.querySelector('[data-resend]');
  const region = document.querySelector('[data-resent]');
  onPress(button, region, async () => {
    await api('POST', '/resend-verification', { email: email() });
    say(region, 'success', 'Sent again. Only the newest mail counts.');
    rest(button);
  });
}

export function verify() {
  const token = takeFromAddress('token');
  let email = '';
  const ask = document.querySelector('form');
  onSubmit(ask, async values => {
    await api('POST', '/resend-verification', values);
    email = values.email;
    fill({ email });
    showStep('sent');
  });
  resends(() => email);
  const goOn = document.querySelector('[data-go-on]');
  goOn.href = page(session.token ? 'me' : 'login');
  goOn.textContent = session.token ? 'To your account' : 'Sign in';
  if (!token) return resume() || showStep('incomplete');
  const button = document.querySelector('[data-confirm]');
  const region = document.querySelector('[data-message]');
  const confirm = async () => {
    const user = await api('POST', '/verify', { token });
    finish('done', { email: user.email });
  };
  onPress(button, region, confirm, ({ code }) => {
    if (code !== 'invalid_token') return false;
    finish('expired');
    return true;
  });
}
