// Connected accounts.

import { distrustedBadge } from './distrusted.js';
import { element, onPress, say, sayProblem, toProblem } from './forms.js';
import { finishLink, startLink } from './oauth.js';
import { buttonOf, day, icon, part } from './parts.js';
import { ofLink, wordsFor, wordsForReturn } from './sentences.js';
import { api } from './session.js';
import { beside, t } from './words.js';

/** @import { Explain, LinkedIdentity } from './types.d.ts' */

/**
 * Shows the connected accounts. Returns the labels of those that a report has made distrusted, and whether the account has a
 * password: if signing in with a provider is off, the page
 * has no panel for it, and all accounts have passwords. `explain` may show errors in its own way.
 * @param {() => Promise<void>} refresh
 * @param {Explain} explain
 */
export async function openProviders(refresh, explain) {
  const list = document.querySelector('[data-providers]');
  if (!list) {
    sayReturn(new Map());
    return { hasPassword: true, distrusted: [] };
  }
  const returned = await finish();
  const { available, linked, hasPassword } = await api.oauthProviders();
  const links = new Map(linked.map(link => [link.provider, link]));
  sayReturn(links);
  returned?.();
  list.replaceChildren(
    ...[...new Set([...available, ...links.keys()])].map(name =>
      line(name, links.get(name), refresh, explain),
    ),
  );
  const distrusted = linked.filter(link => link.isDistrusted).map(({ provider }) => nameOf(provider));
  return { hasPassword, distrusted };
}

/** Ends a link that the browser came back with. Returns how to show the outcome, or null without one. */
async function finish() {
  try {
    const provider = await finishLink();
    if (provider === null) return null;
    return () =>
      say(part('[data-notice]'), 'success', t('page_provider_connected', { name: nameOf(provider) }));
  } catch (error) {
    const problem = toProblem(error);
    return () => sayProblem(part('[data-notice]'), problem, each => wordsFor(each, ofLink));
  }
}

/** Returns the label of a provider; one that is no longer configured has only its name. @param {string} provider */
function nameOf(provider) {
  const label = part('[data-providers]').getAttribute(`data-label-${provider}`);
  return label ?? provider.charAt(0).toUpperCase() + provider.slice(1);
}

/**
 * Returns the line of one provider: its label, its state, and the button that changes it.
 * @param {string} provider
 * @param {LinkedIdentity | undefined} link
 * @param {() => Promise<void>} refresh
 * @param {Explain} explain
 */
function line(provider, link, refresh, explain) {
  const name = nameOf(provider);
  const since = link && day.format(new Date(link.linkedAt));
  const region = element('div', { role: 'alert', class: 'notice' });
  const button = element(
    'button',
    {
      type: 'button',
      class: 'button button-small',
      'aria-label': link ? t('page_disconnect_name', { name }) : t('page_connect_name', { name }),
    },
    link ? t('page_disconnect') : t('page_connect'),
  );
  const work = async () => {
    if (!link) return startLink(provider);
    await api.unlinkOAuth({ provider });
    // An identity that was distrusted leaves the notice, too.
    await refresh();
    say(part('[data-notice]'), 'success', t('page_is_disconnected', { name }));
    buttonOf('[data-providers] button').focus();
  };
  onPress(button, region, work, explain);
  return element(
    'li',
    { class: 'panel panel-line' },
    element('span', { class: 'panel-label' }, icon(`provider-${provider}`), name),
    element(
      'span',
      { class: 'panel-value' },
      link ? beside(link.email, t('page_since', { day: since ?? '' })) : t('page_not_connected'),
      link?.isDistrusted ? distrustedBadge() : null,
    ),
    button,
    region,
  );
}

/**
 * Shows why the user was sent here, or the result of linking a provider, if it is true, and removes it from the address.
 * @param {Map<string, LinkedIdentity>} links
 */
function sayReturn(links) {
  const url = new URL(location.href);
  const { searchParams } = url;
  const region = part('[data-notice]');
  const problem = wordsForReturn(searchParams.get('error'));
  const provider = searchParams.get('linked');
  if (problem) say(region, 'danger', problem);
  else if (provider && links.has(provider))
    say(region, 'success', t('page_provider_connected', { name: nameOf(provider) }));
  for (const name of ['error', 'linked']) searchParams.delete(name);
  history.replaceState(history.state, '', url);
}
