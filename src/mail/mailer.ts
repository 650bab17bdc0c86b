import type { Checked } from '../outgoing/checked.ts';
import type { MailKind, MailVariables } from './mails.ts';

/** One email to one person, as text and HTML; the subject is a single line. */
export interface RenderedMail {
  to: string;
  subject: string;
  text: string;
  html: string;
}

/** The source of a rendered email. */
interface MailSource<K extends MailKind> {
  /** Its subject matter: the name of its templates. */
  kind: K;
  /** The variables of its templates. */
  variables: MailVariables[K];
  /** The language of the bundled templates (BCP 47): `en`. */
  locale: string;
}

/** An email, with what a mailer needs that renders it by templates of its own. */
export type Mail = { [K in MailKind]: RenderedMail & MailSource<K> }[MailKind];

/** Delivers emails to a mail server. */
interface Delivers<M> {
  /** Resolves when the mail server has accepted the email. @throws {DeliveryError} from the bundled transports */
  send(mail: M): Promise<void>;
  /**
   * Checks whether emails can be sent, without sending one. Returns the result in words.
   * @throws {DeliveryError} saying why not
   */
  check?(): Promise<Checked>;
  /** Closes its connections. Nothing is sent afterwards. */
  close?(): Promise<void>;
}

/** A bundled way of delivery, which sends emails as they were rendered. */
export type Transport = Delivers<RenderedMail>;

/** The mailer of an instance; a host may supply its own. */
export interface Mailer extends Delivers<Mail> {}

export interface Sender {
  name: string;
  address: string;
}

/** Returns what the log may contain about the recipient of an email. */
export const describeMail = ({ to }: Pick<RenderedMail, 'to'>) => ({
  domain: to.slice(to.lastIndexOf('@') + 1),
});
