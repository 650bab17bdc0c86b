import type { SendMailOptions } from 'nodemailer';
import type { RenderedMail, Sender } from './mailer.ts';

/**
 * Returns the message as Nodemailer expects it: text and HTML as alternatives, the sender's name encoded where needed.
 */
export function compose(mail: RenderedMail, from: Sender): SendMailOptions {
  return {
    from,
    // An object, so that the address is used as it is: a string would be parsed, and a comma would separate two
    // recipients.
    to: { name: '', address: mail.to },
    subject: mail.subject,
    text: mail.text,
    html: mail.html,
    // RFC 3834 §5: prevents automatic (out-of-office) replies.
    headers: { 'Auto-Submitted': 'auto-generated' },
  };
}
