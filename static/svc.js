// The pages. Each finds its own part by `data-page` of the body; what all have is here.
import { takeNotice } from './client.js';
import { say } from './forms.js';
import { watchPasswords } from './password-field.js';
import { noticeFor } from './words.js';

const parts = {
  login: () => import('./sign-in.js').then(({ login }) => login()),
  mfa: () => import('./sign-in.js').then(({ secondStep }) => secondStep()),
  'oauth-complete': () => import('./oauth.js').then(({ complete }) => complete()),
  register: () => import('./registration.js').then(({ register }) => register()),
  verify: () => import('./registration.js').then(({ verify }) => verify()),
  forgot: () => import('./password.js').then(({ forgot }) => forgot()),
  'reset-password': () => import('./password.js').then(({ reset }) => reset()),
  'confirm-email-change': () => import('./email-change.js').then(({ confirm }) => confirm()),
  me: () => import('./account.js').then(({ account }) => account()),
};

const region = document.querySelector('[data-notice]');
const notice = noticeFor(takeNotice());
if (region && notice) say(region, ...notice);
watchPasswords();
// A page from the browser's memory shows how things were, and buttons that still wait.
addEventListener('pageshow', ({ persisted }) => persisted && location.reload());
parts[document.body.dataset.page]?.().catch(error => {
  console.error(error);
  const place = document.querySelector('[data-notice], [data-message]');
  say(place, 'danger', 'This page did not load completely. Check your connection and load it again.');
});
