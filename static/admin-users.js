import { api } from './admin-api.js';
import { createList } from './admin-list.js';
import { rowOf } from './admin-parts.js';
import { addressOf } from './admin-place.js';

/** The kinds of users that the list can be cut down to. */
const kinds = {
  active: { isActive: true },
  disabled: { isActive: false },
  verified: { isVerified: true },
  unverified: { isVerified: false },
  superusers: { isSuperuser: true },
  'second-factor': { isMfaEnabled: true },
};

/** What a user is, in the words of the `data-if` of the templates. */
export const badgesOf = (user, you) => ({
  isYou: user.id === you.id,
  isActive: user.isActive,
  isDisabled: !user.isActive,
  isUnverified: !user.isVerified,
  isSuperuser: user.isSuperuser,
  isPlain: !user.isSuperuser,
  isMfaEnabled: user.isMfaEnabled,
});

/** The list of users. */
export function createUsers({ you }) {
  return createList({
    name: 'users',
    nouns: ['user', 'users'],
    load: (variables, show) => api.users({ ...variables, ...kinds[show] }),
    rowFor(user) {
      const row = rowOf('user-row', { ...user, ...badgesOf(user, you) });
      row.querySelector('a').href = addressOf('user', { id: user.id });
      return row;
    },
  });
}
