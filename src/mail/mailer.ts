/** One mail to one person, in both forms; the subject is a single line. */
export interface Mail {
  to: string;
  subject: string;
  text: string;
  html: string;
}

/** Takes mails to a mail server; a host may bring its own. */
export interface Mailer {
  /** Resolves once the mail server has taken the mail over. @throws {MailError} from the bundled transports */
  send(mail: Mail): Promise<void>;
  /** Gives up its connections. Nothing is sent afterwards. */
  close?(): Promise<void>;
}

/** Whom the mails come from. */
export interface Sender {
  name: string;
  address: string;
}
