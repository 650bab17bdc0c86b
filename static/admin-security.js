// The second factors, the external identities and the sessions of an account. Where their feature is off, the page has no place for them.
import { api } from './admin-api.js';
import { partNamed, rowOf } from './admin-parts.js';
import { day, fill, part, partsOf } from './parts.js';
import { deviceWords } from './sentences.js';
import { listed, t } from './words.js';

/** @import { ApiKey, Authenticators, Identity, SessionItem, SessionList, UserApiKeys, UserIdentities } from './types.d.ts' */

const kinds = { totp: t('console_authenticator_app'), passkey: t('console_passkey') };

/** How a session began. */
const ways = new Map([
  ['password', t('console_with_the_password')],
  ['mfa', t('console_with_a_second_step')],
  ['oauth', t('console_with_a_provider')],
  ['passkey', t('console_with_a_passkey')],
]);

/**
 * Returns what loads and shows the second factors of an account, or null where they are off.
 * @param {HTMLElement} page
 */
export function createFactors(page) {
  const [section] = partsOf('#user-factors', page);
  return section
    ? {
        /** @param {string} id */
        load: id => api.userAuthenticators({ id }),
        /** @param {Authenticators} found */
        render({ items, recoveryCodesLeft }) {
          const rows = items.map(({ kind, isSynced, ...item }) => {
            const kindName = isSynced ? t('console_synchronised', { kind: kinds[kind] }) : kinds[kind];
            return rowOf('factor-row', { ...item, kindName, wasUsed: item.lastUsedAt !== null });
          });
          partNamed(section, 'rows').replaceChildren(...rows);
          fill({ hasNone: items.length === 0, hasCodes: recoveryCodesLeft > 0, recoveryCodesLeft }, section);
        },
      }
    : null;
}

/**
 * Returns what loads and shows the external identities of an account, or null where they are off. `unlink` is called with
 * the button of an identity.
 * @type {(page: HTMLElement, unlink: (button: HTMLElement, identity: Identity & { label: string }) => void) => { load(id: string): Promise<UserIdentities>, render(found: UserIdentities): void } | null}
 */
export function createIdentities(page, unlink) {
  const [section] = partsOf('#user-identities', page);
  return section
    ? {
        load: id => api.userIdentities({ id }),
        render({ items }) {
          const rows = items.map(identity => {
            const label = section.getAttribute(`data-label-${identity.provider}`) ?? identity.provider;
            const methods = identity.amr ? listed(identity.amr) : identity.acr;
            const wasUsed = identity.lastUsedAt !== null;
            const row = rowOf('identity-row', { ...identity, label, methods, wasUsed });
            const button = part('button', row);
            button.addEventListener('click', () => unlink(button, { ...identity, label }));
            return row;
          });
          partNamed(section, 'rows').replaceChildren(...rows);
          fill({ hasNone: items.length === 0 }, section);
        },
      }
    : null;
}

/**
 * Returns what loads and shows the API keys of an account, or null where they are off. `remove` is called with the button of a
 * key.
 * @type {(page: HTMLElement, remove: (button: HTMLElement, key: ApiKey) => void) => { load(id: string): Promise<UserApiKeys>, render(found: UserApiKeys): void } | null}
 */
export function createApiKeys(page, remove) {
  const [section] = partsOf('#user-api-keys', page);
  return section
    ? {
        load: id => api.userApiKeys({ id }),
        render({ items }) {
          const rows = items.map(key => {
            const { name, hint, scopes, expiresAt, isExpired, lastUsedAt, lastUsedIp } = key;
            const ends = expiresAt === null ? '' : day.format(new Date(expiresAt));
            const used = lastUsedAt === null ? '' : day.format(new Date(lastUsedAt));
            const state = expiresAt === null ? 'none' : isExpired ? 'ended' : 'other';
            const row = rowOf('api-key-row', {
              ...{ name, scopes: scopes.join(' ') },
              state: t('console_api_key_state', { state, hint, day: ends }),
              used: t('console_api_key_used', {
                use: lastUsedAt === null ? 'none' : 'other',
                day: used,
                ip: lastUsedIp ?? t('console_an_unknown_address'),
              }),
            });
            const button = part('button', row);
            button.addEventListener('click', () => remove(button, key));
            return row;
          });
          partNamed(section, 'rows').replaceChildren(...rows);
          fill({ hasNone: items.length === 0, hasKeys: items.length > 0 }, section);
        },
      }
    : null;
}

/**
 * Returns what loads and shows the sessions of an account, or null where the list is off. `end` is called with the button
 * of a session.
 * @type {(page: HTMLElement, end: (button: HTMLElement, session: SessionItem) => void) => { load(id: string): Promise<SessionList>, render(found: SessionList): void } | null}
 */
export function createSessions(page, end) {
  const [section] = partsOf('#user-sessions', page);
  return section
    ? {
        load: id => api.userSessions({ id }),
        render({ items }) {
          const rows = items.map(session => {
            const device =
              session.device === null ? t('console_unknown_device') : deviceWords(session.device);
            const ip = session.ip ?? t('console_an_unknown_address');
            // Any other word is the host application's.
            const way =
              ways.get(session.method) ?? t('console_by_the_application_way', { method: session.method });
            const row = rowOf('session-row', { ...session, device, ip, way });
            const button = part('button', row);
            button.addEventListener('click', () => end(button, session));
            return row;
          });
          partNamed(section, 'rows').replaceChildren(...rows);
          fill({ hasNone: items.length === 0 }, section);
        },
      }
    : null;
}
