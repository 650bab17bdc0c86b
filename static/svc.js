// The scripts of the pages. The `data-page` of the body selects a page's own module; what all pages share is here.

import { say } from './forms.js';
import { offer } from './language.js';
import { part } from './parts.js';
import { watchPasswords } from './password-field.js';
import { noticeFor } from './sentences.js';
import { takeNotice } from './session.js';
import { t } from './words.js';

/** @type {Record<string, () => Promise<unknown>>} */
const parts = {
  login: () => import('./sign-in.js').then(({ login }) => login()),
  mfa: () => import('./sign-in.js').then(({ secondStep }) => secondStep()),
  'oauth-complete': () => import('./oauth.js').then(({ complete }) => complete()),
  register: () => import('./registration.js').then(({ register }) => register()),
  verify: () => import('./registration.js').then(({ verify }) => verify()),
  forgot: () => import('./password.js').then(({ forgot }) => forgot()),
  'reset-password': () => import('./password.js').then(({ reset }) => reset()),
  'accept-invitation': () => import('./password.js').then(({ accept }) => accept()),
  'confirm-email-change': () => import('./email-change.js').then(({ confirm }) => confirm()),
  'not-me': () => import('./not-me.js').then(({ disown }) => disown()),
  me: () => import('./account.js').then(({ account }) => account()),
};

/** @type {HTMLElement | null} */
const region = document.querySelector('[data-notice]');
const notice = noticeFor(takeNotice());
if (region && notice) say(region, ...notice);
watchPasswords();
offer();
// A page from the browser's back/forward cache shows outdated data, and buttons that are still busy.
addEventListener('pageshow', ({ persisted }) => persisted && location.reload());
parts[document.body.dataset.page ?? '']?.().catch(error => {
  console.error(error);
  const place = part('[data-notice], [data-message]');
  say(place, 'danger', t('page_this_page_did_not_load'));
});
