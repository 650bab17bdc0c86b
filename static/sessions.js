// The sessions of the account: where it is signed in, and ending that.
import { api } from './client.js';
import { element, onPress, say } from './forms.js';
import { buttonOf, fill, moment, part } from './parts.js';

/** @import { SessionItem } from './types.d.ts' */

const list = () => document.querySelector('[data-sessions]');

/** Connects the button for all others; without the list, the page has none. */
export function openSessions() {
  const place = list();
  if (!place) return;
  const button = buttonOf('[data-end-others]');
  onPress(button, part('[data-message]', button.closest('.panel-body') ?? document), async () => {
    const { ended } = await api('DELETE', '/sessions');
    await showSessions();
    say(
      part('[data-notice]'),
      'success',
      ended === 1 ? 'One session has ended.' : `${ended} sessions have ended.`,
    );
    place.closest('details')?.querySelector('summary')?.focus();
  });
}

/** Shows the sessions of the account. */
export async function showSessions() {
  const place = list();
  if (!place) return;
  const { items } = await api('GET', '/sessions');
  place.replaceChildren(...items.map(line));
  const others = items.filter(({ is_current }) => !is_current).length;
  fill({
    session_count: others === 0 ? 'Only this one' : `${items.length} sessions`,
    has_other_sessions: others > 0,
  });
}

/** How a session began, in words; a word of the host application is not shown. */
const methods = new Map([
  ['password', 'by password'],
  ['mfa', 'by password and second step'],
  ['passkey', 'by passkey'],
]);

/** @param {SessionItem} session */
function line({ id, device, created_at, last_seen_at, ip, method, is_current }) {
  const name = device ?? 'Unknown device';
  const region = element('div', { role: 'alert', class: 'notice' });
  const button = element(
    'button',
    { type: 'button', class: 'button button-small', 'aria-label': `End the session: ${name}` },
    'End',
  );
  onPress(button, region, async () => {
    await api('DELETE', `/sessions/${id}`).catch(problem => {
      // It has ended meanwhile.
      if (problem.code !== 'not_found') throw problem;
    });
    await showSessions();
    say(part('[data-notice]'), 'success', `The session has ended: ${name}.`);
    list()?.closest('details')?.querySelector('summary')?.focus();
  });
  const since = `Since ${moment.format(new Date(created_at))}`;
  return element(
    'li',
    { class: 'item' },
    element(
      'div',
      { class: 'item-text' },
      element('strong', {}, `${name}, ${is_current ? 'now' : moment.format(new Date(last_seen_at))}`),
      element('span', { class: 'small soft' }, [since, methods.get(method), ip].filter(Boolean).join(', ')),
    ),
    is_current ? element('span', { class: 'badge badge-success' }, 'This one') : button,
    region,
  );
}
