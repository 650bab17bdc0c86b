import { createTransport } from 'nodemailer';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
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
  const connecting = {
    host,
    port,
    secure: implicitTls,
    requireTLS: startTls && !implicitTls,
    ignoreTLS: !startTls,
    connectionTimeout: connectTimeoutMs,
    greetingTimeout: connectTimeoutMs,
    socketTimeout: silenceTimeoutMs,
  };
  const auth = username === undefined ? undefined : { user: username, pass: password ?? '' };
  const transport = createTransport({
    ...{ pool: true, ...connecting, auth, maxConnections },
    // One attempt: the queue retries.
    maxRequeues: 0,
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
      const hasSignedIn = await tryOut(connecting, auth).catch(error => {
        throw smtpError(error, `${host}:${port}`);
      });
      const encryption = implicitTls ? 'TLS' : startTls ? 'STARTTLS' : 'no encryption';
      const connected = `connected to ${host}:${port} with ${encryption}`;
      if (username === undefined) return `${connected}, without authentication`;
      if (hasSignedIn) return `${connected}, signed in as ${username}`;
      return {
        warning: `${connected}, but not signed in as ${username}: the server offers no sign-in (AUTH) on this connection, and emails are sent without`,
      };
    },
    async close() {
      transport.close();
    },
  };
}

/**
 * Connects, and signs in where the server offers it. Returns whether it has: where none is offered, Nodemailer sends without,
 * and its own check does not tell.
 */
async function tryOut(
  options: ConstructorParameters<typeof SMTPConnection>[0],
  credentials: { user: string; pass: string } | undefined,
): Promise<boolean> {
  const connection = new SMTPConnection(options);
  const { promise, resolve, reject } = Promise.withResolvers<boolean>();
  connection.on('error', reject);
  connection.on('end', () => reject(new Error('Connection closed')));
  connection.connect(failure => {
    if (failure) reject(failure);
    else if (!credentials || !connection.allowsAuth) resolve(false);
    else connection.login({ credentials }, refusal => (refusal ? reject(refusal) : resolve(true)));
  });
  return promise.then(
    hasSignedIn => {
      connection.quit();
      return hasSignedIn;
    },
    error => {
      connection.close();
      throw error;
    },
  );
}
