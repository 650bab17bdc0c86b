// Connected accounts.
import { api } from './client.js';
import { element, onPress, say } from './forms.js';
import { startLink } from './oauth.js';
import { nameOf, wordsForReturn } from './words.js';

/** Where signing in with a provider is off, the page has no panel for it. */
export async function openProviders() {
  const list = document.querySelector('[data-providers]');
  if (!list) return;
  const { available, linked } = await api('GET', '/oauth/providers');
  const links = new Map(linked.map(link => [link.provider, link]));
  sayReturn(links);
  list.replaceChildren(
    ...[...new Set([...available, ...links.keys()])].map(name => line(name, links.get(name))),
  );
}

/** One provider: what it is, how it stands, and the button that changes it. */
function line(provider, link) {
  const name = nameOf(provider);
  const since = link && new Date(link.linked_at).toLocaleDateString(undefined, { dateStyle: 'medium' });
  const region = element('div', { role: 'alert', class: 'notice' });
  const button = element(
    'button',
    {
      type: 'button',
      class: 'button button-small',
      'aria-label': `${link ? 'Disconnect' : 'Connect'} ${name}`,
    },
    link ? 'Disconnect' : 'Connect',
  );
  onPress(button, region, async () => {
    if (!link) return startLink(provider);
    await api('DELETE', `/oauth/${provider}/link`);
    await openProviders();
    say(document.querySelector('[data-notice]'), 'success', `${name} is disconnected.`);
    document.querySelector('[data-providers] button')?.focus();
  });
  return element(
    'li',
    { class: 'panel-line' },
    element('span', { class: 'panel-label' }, name),
    element(
      'span',
      { class: 'panel-value' },
      link ? [link.email, `since ${since}`].filter(Boolean).join(', ') : 'Not connected',
    ),
    button,
    region,
  );
}

/** What came of a link to a provider, in words, if it is true; nothing of it stays in the address. */
function sayReturn(links) {
  const url = new URL(location.href);
  const { searchParams } = url;
  const region = document.querySelector('[data-notice]');
  const problem = wordsForReturn(searchParams.get('error'));
  const provider = searchParams.get('linked');
  if (problem) say(region, 'danger', problem);
  else if (links.has(provider)) say(region, 'success', `${nameOf(provider)} is connected.`);
  for (const name of ['error', 'linked']) searchParams.delete(name);
  history.replaceState(history.state, '', url);
}
