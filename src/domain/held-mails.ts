import type { HeldBack } from '../limits/mail-cap.ts';
import type { Watch } from '../observability/watch.ts';

/** The name that the audit gives to a held-back email of each kind. */
const acts = {
  verification: 'verificationMail',
  reset: 'resetMail',
  invitation: 'invitationMail',
  email_change: 'emailChangeMail',
  notice: 'noticeMail',
} as const satisfies Record<HeldBack['kind'], string>;

/**
 * Writes an audit record for an email that the cap of its address has held back. The response says that the email is on
 * its way (account enumeration), so without this record it would stay unknown.
 */
export const createHeldMails =
  (watch: Watch) =>
  ({ kind, email, origin }: HeldBack): Promise<void> => {
    const { by = 'self', ip = null, requestId = null, subject = null } = origin;
    const { trail, finish } = watch({ operation: acts[kind], by, isAudited: true, ip, requestId });
    return finish(async () => {
      Object.assign(trail, { email, subject, refusal: 'mail_cap' });
    });
  };
