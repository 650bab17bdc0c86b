export interface NoticeSettings {
  notifyNewSignIn: boolean;
  enablePasswordReset: boolean;
  supportContact?: string | undefined;
}

/** Returns warnings about notices that help their readers less than they could. */
export function warningsOf({
  notifyNewSignIn,
  enablePasswordReset,
  supportContact,
}: NoticeSettings): string[] {
  if (!notifyNewSignIn) return [];
  return [
    ...(enablePasswordReset
      ? []
      : [
          'notify_new_sign_in is on and enable_password_reset is off: the link "this was not me" ends the sessions alone, and does not close the account.',
        ]),
    ...(supportContact === undefined
      ? [
          'notify_new_sign_in is on and support_contact is not set: the emails do not say where somebody finds help whose account was taken.',
        ]
      : []),
  ];
}
