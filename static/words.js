// What people read. Codes come from the API, from addresses and from other pages; what is not listed is never shown.

/** Sentences for codes where the page knows better than the API what to do next. */
const problems = {
  network:
    'The server cannot be reached. Check your connection and try again; what you entered is still here.',
  unavailable:
    'The service does not answer at the moment. Try again shortly; what you entered is still here.',
  internal_error:
    'Something went wrong on our side. Try again; if it stays so, tell the people who run this site.',
  invalid_input: 'Something is not as it should be. Look at the marked fields.',
  account_locked: 'Too many failed attempts.',
  rate_limited: 'Too many requests.',
  account_disabled: 'This account is disabled. Ask the people who run this site.',
  email_not_verified: 'Confirm your address first: open the link in the mail that we sent you.',
  registration_closed: 'New accounts cannot be made here at the moment.',
  password_unchanged: 'This is your present password. Choose another one.',
  email_unchanged: 'This is your present address. Enter another one.',
  mfa_code_expired: 'This code has expired.',
  mfa_code_missing: 'There is no code to confirm any more.',
  LOCKED: 'That was the last try for this code.',
  last_sign_in_method: 'This is your last sign-in method. Set a password first, then disconnect it.',
  last_superuser: 'You are the last superuser. Make somebody else one first.',
};

/** A sentence for an error of the API. */
export function wordsFor({ code, message, attemptsRemaining }) {
  if (code === 'mfa_code_wrong' && attemptsRemaining !== undefined)
    return `That code is wrong. You have ${attemptsRemaining} ${attemptsRemaining === 1 ? 'try' : 'tries'} left.`;
  return Object.hasOwn(problems, code) ? problems[code] : message;
}

/** Why a sign-in with a provider, or a link to one, came to nothing: the codes that stand in `?error=`. */
const returns = {
  bad_state: 'This sign-in was started elsewhere, or used already. Start again.',
  state_expired: 'That took too long. Start again.',
  id_token_failed: 'What the provider said about you could not be checked. Start again.',
  email_in_use:
    'There is an account with this address already. Sign in with your password, then connect the provider on your account page.',
  identity_in_use: 'This identity is connected to another account already.',
  already_linked: 'Your account is connected to this provider already.',
  oauth_failed: 'The provider did not let you through, or you changed your mind.',
  missing_code_or_state: 'The answer of the provider was not complete. Start again.',
  token_exchange_failed: 'The provider did not confirm who you are. Start again.',
  user_inactive: 'This account is disabled. Ask the people who run this site.',
  unknown_provider: 'There is no such provider here.',
  email_missing: 'The provider did not tell your email address, and without one there can be no account.',
  email_not_verified:
    'The provider has not confirmed your email address. Confirm it there, then start again.',
  registration_closed: 'New accounts cannot be made here at the moment.',
  unavailable: 'The provider does not answer at the moment. Try again shortly.',
};

/** A sentence for `?error=<code>`, or null for anything unknown. */
export const wordsForReturn = code => (Object.hasOwn(returns, code ?? '') ? returns[code] : null);

/** What one page of ours has to say on the next: kind and sentence. */
const notices = {
  sign_in: ['', 'Sign in to go on.'],
  session_ended: ['warning', 'Your session has ended. Sign in to go on.'],
  signed_out: ['success', 'You are signed out.'],
  signed_out_everywhere: ['success', 'You are signed out on every device.'],
  password_changed: ['success', 'Your password was changed. Sign in with the new one.'],
  account_deleted: ['success', 'Your account was deleted.'],
};

export const noticeFor = code => (Object.hasOwn(notices, code ?? '') ? notices[code] : null);

/** `3:07`, for eyes. */
export const onClock = seconds => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;

/** `4 minutes`, for ears. */
export function inWords(seconds) {
  const [count, unit] = seconds < 90 ? [Math.ceil(seconds), 'second'] : [Math.ceil(seconds / 60), 'minute'];
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

/** `google` as people write it. */
export const nameOf = provider => provider.charAt(0).toUpperCase() + provider.slice(1);
