import { duration, flag } from './fields.ts';

/** Settings that are stricter than SPEC.md asks for (CONTRACT §9.5 and §9.6). Each is off by default, and then costs nothing. */
export const stricter = {
  recent_sign_in_seconds: duration(900).describe(
    'How recent a sign-in must be for changes to the ways of signing in',
  ),
  recent_sign_in_for_administration: flag(false).describe(
    'Acts of administration need a sign-in that is recent (`administration_sign_in_seconds`) and made with the second step that is due',
  ),
  administration_sign_in_seconds: duration(3600).describe(
    'How old the sign-in of an administrator may be, with `recent_sign_in_for_administration`',
  ),
  recent_sign_in_for_links: flag(false).describe(
    'Linking and unlinking an identity need a recent sign-in, too',
  ),
  recent_sign_in_for_account: flag(false).describe(
    'Changing address, password and phone, and deleting the account, need a recent sign-in with the second step, too',
  ),
  recent_sign_in_for_sessions: flag(false).describe('Ending other sessions needs a recent sign-in, too'),
  replace_session_at_sign_in: flag(false).describe('A sign-in ends the session whose token is sent with it'),
  enumeration_safe_registration: flag(false).describe(
    'Registering and changing an address tell nobody whether an address has an account; its owner gets an email',
  ),
  email_change_needs_account: flag(false).describe(
    'Confirming a new address needs the session or the password of the account, beside the link',
  ),
};
