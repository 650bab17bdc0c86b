import { createTransport } from 'nodemailer';
import { compose } from './compose.ts';
import type { Sender, Transport } from './mailer.ts';
import { smtpError } from './smtp-error.ts';

const silenceTimeoutMs = 20_000;
/** In milliseconds; below the timeout of the queue, so that a specific error arrives before the queue stops waiting. */
const sendTimeoutMs = 25_000;
const maxConnections = 4;

interface SmtpMailerOptions {
  host: string;
  port: number;
  /** TLS from the first byte, whatever `startTls` says: the meaning of port 465 (RFC 8314 §3.3). */
  implicitTls?: boolean;
  /** Require STARTTLS and a valid certificate; false sends in the clear, for a server on the same machine. */
  startTls: boolean;
  username?: string | undefined;
  password?: string | undefined;
  from: Sender;
  /** The timeout of the connection, and again of the server's greeting, in milliseconds. */
  connectTimeoutMs?: number;
}

/**
 * Returns a mailer for SMTP over a few persistent connections. `send` rejects with a `DeliveryError` within 25 seconds,
 * even when the server hangs.
 */
export function smtpMailer(options: SmtpMailerOptions): Transport {
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
    // One attempt: the queue retries.
    maxRequeues: 0,
    connectionTimeout: connectTimeoutMs,
    greetingTimeout: connectTimeoutMs,
    socketTimeout: silenceTimeoutMs,
  });
  return {
    async send(mail) {
      // The socket's timeout measures silence only: a server that trickles its replies would hold a connection for ever.
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
      const identity = username === undefined ? 'without authentication' : `signed in as ${username}`;
      return `connected to ${host}:${port} with ${encryption}, ${identity}`;
    },
    async close() {
      transport.close();
    },
  };
}
