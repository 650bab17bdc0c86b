// The parts of the console, which of them is to be seen, and the figures above them.
import { api } from './admin-api.js';
import { byId, notify, numberText } from './admin-parts.js';
import { createPending } from './admin-pending.js';
import { addressOf, moveTo, onMove, place } from './admin-place.js';
import { createUserView } from './admin-user.js';
import { createUsers } from './admin-users.js';

/** Opens the console for a superuser, at the place that the address names. */
export function openConsole(you) {
  /** Where the list is that an account was opened from. */
  let listAddress = addressOf('users');
  const users = createUsers({ you });
  const pending = createPending({ changed: refreshFigures });
  const user = createUserView({ you, changed: refreshFigures, leave: () => moveTo(listAddress) });
  const views = { users, pending, user };
  const pageTitle = document.title;
  let shown = null;

  refreshFigures();
  onMove(async () => {
    const view = views[place().view] ?? users;
    const last = shown;
    const openedId = last === user ? user.id : null;
    shown = view;
    notify();
    if (view === user) byId('user-back').href = listAddress;
    else listAddress = location.hash || addressOf('users');
    for (const { section } of Object.values(views)) section.hidden = section !== view.section;
    byId('figures').hidden = view === user;
    markTab(view === pending ? 'pending' : 'users');
    document.title = `${view.section.dataset.title} · ${pageTitle}`;

    // The focus follows the operator to another part, and stays where it is within one.
    const heading = view.section.querySelector('h2');
    if (last !== null && last !== view) heading.focus();
    await view.open();
    if (view === users && openedId !== null && document.activeElement === heading) rowLink(openedId)?.focus();
  });
}

function markTab(name) {
  for (const tab of document.querySelectorAll('[data-tab]'))
    tab.ariaCurrent = tab.dataset.tab === name ? 'page' : null;
}

const rowLink = id => document.querySelector(`#users a[href="${CSS.escape(addressOf('user', { id }))}"]`);

async function refreshFigures() {
  // Figures that can't be had are no reason to stop: the list or the account says what is wrong.
  const figures = await api.stats().catch(() => null);
  for (const element of document.querySelectorAll('[data-figure]'))
    element.textContent = figures ? numberText(figures[element.dataset.figure]) : '–';
}
