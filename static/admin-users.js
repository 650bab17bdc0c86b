import { api } from './admin-api.js';
import { createList } from './admin-list.js';
import { rowOf } from './admin-parts.js';
import { addressOf } from './admin-place.js';
import { part } from './parts.js';
import { t } from './words.js';

/** @import { Administration, User } from './types.d.ts' */
/** @typedef {Parameters<Administration['users']>[0]} Kind */
/** @typedef {Pick<User, 'id' | 'email'>} You */

/** The filters of the list of users. @type {Record<string, Kind>} */
const kinds = {
  active: { isActive: true },
  disabled: { isActive: false },
  verified: { isVerified: true },
  unverified: { isVerified: false },
  superusers: { isSuperuser: true },
  'second-factor': { isMfaEnabled: true },
  reported: { isReported: true },
  locked: { isLocked: true },
};

/** A filter by role is named after it. @param {string} show @returns {Kind | undefined} */
const kindOf = show => (show.startsWith('role=') ? { role: show.slice('role='.length) } : kinds[show]);

/** Creates the list of users. @param {{ you: You }} options */
export function createUsers({ you }) {
  return createList({
    name: 'users',
    counted: values => t('console_count_users', values),
    load: (input, show = '') => api.users({ ...input, ...kindOf(show) }),
    rowFor(user) {
      const row = rowOf('user-row', {
        ...user,
        isYou: user.id === you.id,
        isReported: Boolean(user.reportedAt),
        isLocked: Boolean(user.lockedUntil),
      });
      part('a', row, HTMLAnchorElement).href = addressOf('user', { id: user.id });
      return row;
    },
  });
}
