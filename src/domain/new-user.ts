import { v7 as uuidv7 } from 'uuid';
import type { User } from '../entities/user.ts';

type Given = Pick<User, 'email' | 'fullName' | 'hashedPassword' | 'isVerified'> & Partial<User>;

/** Returns a new user. The id is a UUIDv7: random, never reused, and sortable by creation time. */
export function newUser(now: Date, fields: Given): User {
  return {
    id: uuidv7({ msecs: now.getTime() }),
    phoneNumber: null,
    isActive: true,
    isSuperuser: false,
    isMfaEnabled: false,
    createdAt: now,
    updatedAt: now,
    lastLogin: null,
    tokensInvalidatedAfter: null,
    lastIssuedAt: null,
    passwordMails: null,
    restorations: null,
    fields: null,
    roles: null,
    ...fields,
  };
}
