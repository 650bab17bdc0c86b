// The sessions of the account: where it is signed in, and ending that.

import { element, onPress, say } from './forms.js';
import { buttonOf, fill, moment, part } from './parts.js';
import { api } from './session.js';
import { counted } from './words.js';

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
    say(
      part('[data-notice]'),
      'success',
      ended === 1 ? 'One session has ended.' : `${counted(ended, ['session', 'sessions'])} have ended.`,
    );
    place.closest('details')?.querySelector('summary')?.focus();
  });
}

/** Shows the sessions of the account. */
export async function showSessions() {
  const place = list();
  if (!place) return;
  const { items } = await api.sessions();
  place.replaceChildren(...items.map(line));
  const others = items.filter(({ isCurrent }) => !isCurrent).length;
  fill({
    sessionCount: others === 0 ? 'Only this one' : counted(items.length, ['session', 'sessions']),
    hasOtherSessions: others > 0,
  });
}

/** How a session began, in words; a word of the host application is not shown. */
const methods = new Map([
  ['password', 'by password'],
  ['mfa', 'by password and second step'],
  ['passkey', 'by passkey'],
]);

/** @param {SessionItem} session */
function line({ id, device, createdAt, lastSeenAt, ip, method, isCurrent }) {
  const name = device ?? 'Unknown device';
  const region = element('div', { role: 'alert', class: 'notice' });
  const button = element(
    'button',
    { type: 'button', class: 'button button-small', 'aria-label': `End the session: ${name}` },
    'End',
  );
  onPress(button, region, async () => {
    await api.endSession({ id }).catch(problem => {
      // It has ended meanwhile.
      if (problem.code !== 'not_found') throw problem;
    });
    await showSessions();
    say(part('[data-notice]'), 'success', `The session has ended: ${name}.`);
    list()?.closest('details')?.querySelector('summary')?.focus();
  });
  const since = `Since ${moment.format(new Date(createdAt))}`;
  return element(
    'li',
    { class: 'item' },
    element(
      'div',
      { class: 'item-text' },
      element('strong', {}, `${name}, ${isCurrent ? 'now' : moment.format(new Date(lastSeenAt))}`),
      element('span', { class: 'small soft' }, [since, methods.get(method), ip].filter(Boolean).join(', ')),
    ),
    isCurrent ? element('span', { class: 'badge badge-success' }, 'This one') : button,
    region,
  );
}
