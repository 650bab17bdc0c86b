// The views of the console, which of them is visible, and the figures above them.
import { api } from './admin-api.js';
import { createAudit } from './admin-audit.js';
import { createNewUser } from './admin-create.js';
import { leaveQuestion } from './admin-dialog.js';
import { createKeys } from './admin-keys.js';
import { createOutbox } from './admin-outbox.js';
import { createOverview } from './admin-overview.js';
import { notify } from './admin-parts.js';
import { createPending } from './admin-pending.js';
import { addressOf, moveTo, onMove, place } from './admin-place.js';
import { createUserView } from './admin-user.js';
import { createUsers } from './admin-users.js';
import { createWebhooks } from './admin-webhooks.js';
import { part, partsOf } from './parts.js';
import { numberText } from './sentences.js';

/** @import { You } from './admin-users.js' */
/** @import { AdminStats } from './types.d.ts' */

/** Opens the console for a superuser, at the view that the address names. @param {You} you */
export function openConsole(you) {
  /** The address of the list from which an account was opened. */
  let listAddress = addressOf('users');
  const users = createUsers({ you });
  const pending = createPending({ changed: refreshFigures });
  const user = createUserView({ you, changed: refreshFigures, leave: () => moveTo(listAddress) });
  /** @type {Record<string, { section: HTMLElement, open(): Promise<void> }>} */
  const views = { users, pending, user };
  // Messages are listed where they wait in the database, and where the template has a place for them.
  if (partsOf('[data-tab="outbox"]').length > 0) views.outbox = createOutbox();
  if (partsOf('[data-tab="audit"]').length > 0) views.audit = createAudit();
  if (partsOf('[data-tab="webhooks"]').length > 0) views.webhooks = createWebhooks();
  if (partsOf('[data-tab="keys"]').length > 0) views.keys = createKeys();
  // A host's own template may be older.
  if (partsOf('#overview').length > 0) views.overview = createOverview();
  if (partsOf('#new-user').length > 0) views['new-user'] = createNewUser({ changed: refreshFigures });
  const pageTitle = document.title;
  /** @type {object | null} */
  let shown = null;

  refreshFigures();
  onMove(async () => {
    const view = views[place().view] ?? users;
    const last = shown;
    const openedId = last === user ? user.id : null;
    shown = view;
    notify();
    leaveQuestion();
    if (view === user) part('#user-back', document, HTMLAnchorElement).href = listAddress;
    else if (view !== views['new-user']) listAddress = location.hash || addressOf('users');
    for (const { section } of Object.values(views)) section.hidden = section !== view.section;
    const isOfUsers = view === users || view === user || view === views['new-user'];
    part('#figures').hidden = isOfUsers && view !== users;
    markTab(isOfUsers ? 'users' : (place().view ?? 'users'));
    document.title = `${view.section.dataset.title} · ${pageTitle}`;

    // The focus moves to the heading of another view, and stays where it is within one.
    const heading = part('h2', view.section);
    if (last !== null && last !== view) heading.focus();
    await view.open();
    if (view === users && openedId !== null && document.activeElement === heading) rowLink(openedId)?.focus();
  });
}

/** @param {string} name */
function markTab(name) {
  for (const tab of partsOf('[data-tab]')) tab.ariaCurrent = tab.dataset.tab === name ? 'page' : null;
}

/** @param {string} id */
const rowLink = id => partsOf(`#users a[href="${CSS.escape(addressOf('user', { id }))}"]`)[0];

let asked = 0;

async function refreshFigures() {
  const mine = ++asked;
  // Missing figures are no reason to stop: the list or the account reports what is wrong.
  const figures = await api.adminStats().catch(() => null);
  // A later question knows more, even when its answer came first.
  if (mine !== asked) return;
  for (const place of partsOf('[data-figure]')) {
    const value = figures?.[/** @type {keyof AdminStats} */ (place.dataset.figure)];
    place.textContent = value === undefined ? '–' : numberText(value);
  }
}
