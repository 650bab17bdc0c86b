// The way in: what a login or a finished external sign-in leads to.
import { page, samePage, session } from './client.js';

/** What the second step needs; it is gone with the tab. */
export const pendingKey = 'svc.mfa_pending_token';

/** Where the person was going, if that is a page of this site. */
export const destination = () => samePage(new URLSearchParams(location.search).get('next'));

/** Goes where the person was going, or to the account. */
export function goOn(next = destination()) {
  location.replace(next ?? page('me'));
  return new Promise(() => {});
}

/** Takes what a login or an exchange answered: a session, or the second step. */
export function enter(answer, next = destination()) {
  if (answer.access_token) {
    session.start(answer.access_token);
    return goOn(next);
  }
  sessionStorage.setItem(pendingKey, answer.mfa_pending_token);
  const query = next ? `?${new URLSearchParams({ next })}` : '';
  location.replace(page('mfa') + query);
  return new Promise(() => {});
}
