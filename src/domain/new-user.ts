import { createOrderedIds } from '../crypto/ordered-ids.ts';
import type { User } from '../tables/user.ts';

type Given = Pick<User, 'email' | 'fullName' | 'hashedPassword' | 'isVerified'> & Partial<User>;

/** In order even within a millisecond: an import makes several users in each, and lists are in the order of its lines. */
const nextId = createOrderedIds();

/** Returns a new user. The id is a UUIDv7: never reused, and sortable by creation time. */
export function newUser(now: Date, fields: Given): User {
  return {
    id: nextId(now.getTime()),
    passwordForm: null,
    passwordSetAt: null,
    phoneNumber: null,
    phoneConfirmedAt: null,
    isActive: true,
    isSuperuser: false,
    isMfaEnabled: false,
    createdAt: now,
    signedUpAt: null,
    updatedAt: now,
    lastLogin: null,
    tokensInvalidatedAfter: null,
    lastIssuedAt: null,
    reportedAt: null,
    distrustedSince: null,
    resetsHeldAt: null,
    locale: null,
    fields: null,
    roles: null,
    ...fields,
  };
}
