import { EventEmitter, once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';
import { createSelfSigned } from './certificates.ts';
import { type MailContent, parseMail } from './mime.ts';

/** A mail as it arrived; `from` and `to` are those of the envelope. */
export interface Mail extends MailContent {
  from: string;
  to: string[];
  raw: string;
}

export interface MailboxOptions {
  /** Asks for these credentials, in the clear too unless `startTls` is on. */
  auth?: { user: string; pass: string };
  /** Offers STARTTLS with a certificate for `localhost` that only `certificate` proves. */
  startTls?: boolean;
  /** Speaks TLS from the first byte, with the same certificate. */
  implicitTls?: boolean;
  /** Whom the certificate is for, in place of `localhost`. */
  certificateFor?: string;
  /** Gets each mail before its sender is told that it was taken. */
  deliver?: (mail: Mail) => Promise<void>;
}

/** What the server does with a recipient; `times` says for how many of them, after which it accepts again. */
export type MailboxBehaviour = 'accept' | 'hang' | { reject: number; times?: number };

/** A real SMTP server on loopback that keeps what it gets. */
export interface Mailbox {
  host: string;
  port: number;
  /** What a client must trust when `startTls` is on, in PEM. */
  certificate?: string;
  /** All mails so far, oldest first. */
  mails: Mail[];
  /** Connections opened so far. */
  connections: number;
  /** Recipients named so far, the rejected ones included. */
  attempts: number;
  /** Resolves with the first mail, past or future, that fits. */
  waitFor(predicate: (mail: Mail) => boolean, timeoutMs?: number): Promise<Mail>;
  /** Changes how recipients are answered from now on. */
  behave(behaviour: MailboxBehaviour): void;
  close(): Promise<void>;
}

/** Starts a mailbox on a free port. */
export async function startMailbox(options: MailboxOptions = {}): Promise<Mailbox> {
  const { auth, startTls = false, implicitTls = false, certificateFor = 'localhost', deliver } = options;
  const arrivals = new EventEmitter().setMaxListeners(0);
  const tls = startTls || implicitTls ? await createSelfSigned(certificateFor) : undefined;
  let behaviour: MailboxBehaviour = 'accept';

  const server = new SMTPServer({
    ...(tls && { ...tls, secure: implicitTls }),
    disabledCommands: [...(auth ? [] : ['AUTH']), ...(startTls ? [] : ['STARTTLS'])],
    allowInsecureAuth: !tls,
    disableReverseLookup: true,
    closeTimeout: 1,
    onConnect(_session, answer) {
      mailbox.connections += 1;
      answer();
    },
    onAuth({ username, password }, _session, answer) {
      const isRight = username === auth?.user && password === auth?.pass;
      answer(isRight ? null : smtpError(535, 'Wrong credentials'), { user: username });
    },
    onRcptTo(_address, _session, answer) {
      mailbox.attempts += 1;
      if (behaviour === 'hang') return;
      if (behaviour === 'accept') return answer();
      const { reject, times = Number.POSITIVE_INFINITY } = behaviour;
      behaviour = times > 1 ? { reject, times: times - 1 } : 'accept';
      answer(smtpError(reject, 'Rejected by the test'));
    },
    async onData(stream, { envelope }, answer) {
      const raw = await buffer(stream).catch(() => null);
      // Its sender has died in the middle.
      if (raw === null) return;
      const from = envelope.mailFrom ? envelope.mailFrom.address : '';
      const to = envelope.rcptTo.map(({ address }) => address);
      const mail: Mail = { from, to, ...parseMail(raw), raw: raw.toString() };
      await deliver?.(mail);
      mailbox.mails.push(mail);
      arrivals.emit('mail', mail);
      answer();
    },
  });
  // Clients that give up on a hanging server are what some tests are about.
  server.on('error', () => {});
  const listener = server.listen(0, '127.0.0.1');
  await once(listener, 'listening');

  const mailbox: Mailbox = {
    host: tls ? 'localhost' : '127.0.0.1',
    port: (listener.address() as AddressInfo).port,
    certificate: tls?.cert,
    mails: [],
    connections: 0,
    attempts: 0,
    async waitFor(predicate, timeoutMs = 20_000) {
      const { promise, resolve, reject } = Promise.withResolvers<Mail>();
      const look = (mail: Mail) => predicate(mail) && resolve(mail);
      const fail = () => {
        const seen = mailbox.mails.map(({ to, subject }) => `${to}: ${subject}`);
        reject(new Error(`no such mail in ${timeoutMs} ms among ${JSON.stringify(seen)}`));
      };
      const timer = setTimeout(fail, timeoutMs);
      arrivals.on('mail', look);
      mailbox.mails.some(look);
      return promise.finally(() => {
        clearTimeout(timer);
        arrivals.off('mail', look);
      });
    },
    behave(next) {
      behaviour = next;
    },
    close: () => new Promise(resolve => server.close(resolve)),
  };
  return mailbox;
}

function smtpError(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode });
}
