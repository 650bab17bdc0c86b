import { userInfo } from 'node:os';

/** A name that may be logged; the variable that it comes from may hold anything. */
const plainName = /^[\w.@\\-]{1,64}$/;

/**
 * Returns who runs this command, for the audit: the user of the process, and who became that user by sudo. The latter
 * comes from a variable of sudo's, which a user of this name could also set.
 */
export function osUser(): string {
  const { SUDO_USER: caller = '' } = process.env;
  const own = ownName();
  return plainName.test(caller) && caller !== own ? `${own} (sudo: ${caller})` : own;
}

function ownName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run as a user id without an entry in its user list.
    return `uid ${process.getuid?.()}`;
  }
}
