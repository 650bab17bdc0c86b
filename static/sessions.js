// The sessions of the account: where it is signed in, and ending that.

import { element, onPress, say } from './forms.js';
import { buttonOf, day, fill, icon, moment, part } from './parts.js';
import { agoText, deviceWords } from './sentences.js';
import { api } from './session.js';
import { beside, nodes, t } from './words.js';

/** @import { SessionItem } from './types.d.ts' */

const list = () => document.querySelector('[data-sessions]');

/** Connects the button for all others; without the list, the page has none. */
export function openSessions() {
  const place = list();
  if (!place) return;
  const button = buttonOf('[data-end-others]');
  onPress(button, part('[data-message]', button.closest('.panel-body') ?? document), async () => {
    const { ended } = await api.endOtherSessions();
    await showSessions();
    say(part('[data-notice]'), 'success', t('page_sessions_ended', { ended }));
    place.closest('details')?.querySelector('summary')?.focus();
  });
}

/** Shows the sessions of the account. */
export async function showSessions() {
  const place = list();
  if (!place) return;
  const { items } = await api.sessions();
  const others = items.filter(({ isCurrent }) => !isCurrent);
  const own = items.filter(({ isCurrent }) => isCurrent);
  place.replaceChildren(...[...own, ...others].map(line));
  fill({
    sessionCount:
      others.length === 0 ? t('page_only_this_one') : t('page_session_count', { count: items.length }),
    hasOtherSessions: others.length > 0,
  });
}

/** Returns the picture of a device. @param {string} device "Safari on iOS" */
export const pictureOf = device =>
  /iPad|tablet/i.test(device)
    ? 'tablet'
    : /iOS|Android|iPhone|Windows Phone/.test(device)
      ? 'mobile'
      : 'computer';

/** @param {SessionItem} session */
function line({ id, device, createdAt, lastSeenAt, ip, method, isCurrent }) {
  const name = device === null ? t('page_unknown_device') : deviceWords(device);
  const region = element('div', { role: 'alert', class: 'notice' });
  const button = element(
    'button',
    { type: 'button', class: 'button button-small', 'aria-label': t('page_sign_out_2', { name }) },
    t('page_sign_out'),
  );
  onPress(button, region, async () => {
    await api.endSession({ id }).catch(problem => {
      // It has ended meanwhile.
      if (problem.code !== 'not_found') throw problem;
    });
    await showSessions();
    say(part('[data-notice]'), 'success', t('page_the_session_has_ended', { name }));
    list()?.closest('details')?.querySelector('summary')?.focus();
  });
  const seen = new Date(lastSeenAt);
  const time = element('time', { datetime: lastSeenAt, title: moment.format(seen) }, agoText(seen));
  const began = t('page_session_began', { method: method ?? 'none', day: day.format(new Date(createdAt)) });
  const what = beside(ip, began);
  return element(
    'li',
    { class: 'item' },
    icon(pictureOf(device ?? '')),
    element(
      'div',
      { class: 'item-text' },
      element('strong', {}, name),
      element('span', { class: 'small soft' }, ...nodes('page_seen', { time: () => time }, { what })),
    ),
    isCurrent ? element('span', { class: 'badge badge-success' }, t('page_this_one')) : button,
    region,
  );
}
