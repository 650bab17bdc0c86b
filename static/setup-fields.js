// The fields of every set-up of an authenticator.
import { fieldOf } from './parts.js';

/** Returns what its fields say. @param {HTMLFormElement} form */
export const setupOf = form => ({
  name: fieldOf(form, 'name').value.trim() || null,
  endOtherSessions: fieldOf(form, 'end_other_sessions').checked,
});
