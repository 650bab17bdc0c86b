import { createTransport } from 'nodemailer';
import { compose } from './compose.ts';
import type { Mailer, Sender } from './mailer.ts';
import { smtpError } from './smtp-error.ts';

const silenceTimeoutMs = 20_000;
/** Below the queue's own limit, so that an answer in words arrives before the queue gives up waiting for it. */
const sendTimeoutMs = 25_000;
const maxConnections = 4;

interface SmtpMailerOptions {
  host: string;
  port: number;
  /** TLS from the first byte, whatever `startTls` says: what port 465 means (RFC 8314 §3.3). */
  implicitTls?: boolean;
  /** Insist on STARTTLS and a valid certificate; false sends in the clear, for a server on the same machine. */
  startTls: boolean;
  username?: string | undefined;
  password?: string | undefined;
  from: Sender;
  /** For the connection, and again for the server's greeting. */
  connectTimeoutMs?: number;
}

/** Sends by SMTP over a few lasting connections. @throws {DeliveryError} within 25 seconds, also when the server hangs */
export function smtpMailer(options: SmtpMailerOptions): Mailer {
  const { host, port, startTls, username, password, from, connectTimeoutMs = 10_000 } = options;
  const { implicitTls = port === 465 } = options;
  const transport = createTransport({
    pool: true,
    host,
    port,
    secure: implicitTls,
    requireTLS: startTls && !implicitTls,
    ignoreTLS: !startTls,
    auth: username === undefined ? undefined : { user: username, pass: password ?? '' },
    maxConnections,
    // Trying again is the queue's business.
    maxRequeues: 0,
    connectionTimeout: connectTimeoutMs,
    greetingTimeout: connectTimeoutMs,
    socketTimeout: silenceTimeoutMs,
  });
  return {
    async send(mail) {
      // The socket's timeout counts silence only: a server that trickles its replies would hold a connection for ever.
      const signal = AbortSignal.timeout(sendTimeoutMs);
      try {
        await transport.sendMail({ ...compose(mail, from), signal });
      } catch (error) {
        throw smtpError(error, `${host}:${port}`);
      }
    },
    async check() {
      await transport.verify().catch(error => {
        throw smtpError(error, `${host}:${port}`);
      });
      const encryption = implicitTls ? 'TLS' : startTls ? 'STARTTLS' : 'no encryption';
      const identity = username === undefined ? 'nobody signed in' : `signed in as ${username}`;
      return `${host}:${port} answers, with ${encryption}, ${identity}`;
    },
    async close() {
      transport.close();
    },
  };
}
