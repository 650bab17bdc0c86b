import type { SendMailOptions } from 'nodemailer';
import type { Mail, Sender } from './mailer.ts';

/** The message as Nodemailer takes it: text and HTML as alternatives, the sender's name encoded where needed. */
export function compose(mail: Mail, from: Sender): SendMailOptions {
  return {
    from,
    // As an object the address is taken as it is; a string would be parsed, and a comma in it mean two recipients.
    to: { name: '', address: mail.to },
    subject: mail.subject,
    text: mail.text,
    html: mail.html,
    // RFC 3834 §5: keeps out-of-office replies from answering.
    headers: { 'Auto-Submitted': 'auto-generated' },
  };
}
