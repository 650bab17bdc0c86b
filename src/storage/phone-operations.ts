/**
 * The operations that decide about the phone number of an account, by their names in audit records. The last one that
 * succeeded tells whether the present number was confirmed with a code.
 */
export const phoneOperations = [
  'confirmPhoneSetup',
  ...['disablePhone', 'adminDisablePhone', 'adminRemoveAuthenticators', 'reportNotMe'],
];
