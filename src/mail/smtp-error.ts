import type { NodemailerError } from 'nodemailer';
import { DeliveryError } from '../outgoing/delivery-error.ts';

const untrusted =
  'is not signed by an authority that this machine trusts (NODE_EXTRA_CA_CERTS adds authorities)';

const certificateFaults: Record<string, string> = {
  CERT_HAS_EXPIRED: 'has expired',
  CERT_NOT_YET_VALID: 'is not valid yet',
  CERT_REVOKED: 'was revoked',
  ERR_TLS_CERT_ALTNAME_INVALID: 'is for another host name',
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_GET_ISSUER_CERT: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
};

/** Returns a failure of Nodemailer in words; `server` is `host:port`. */
export function smtpError(error: unknown, server: string): DeliveryError {
  const { code = 'unknown', originalCode, response, responseCode, permanent, command } = error as SmtpFailure;
  const cause = originalCode ?? code;
  // The reply code and the enhanced status code (RFC 3463 §2), without the text, which repeats addresses.
  const status = response && /^\d{3}(?:[ -]\d\.\d{1,3}\.\d{1,3})?/.exec(response)?.[0];
  return new DeliveryError(`${inWords(code, cause, server)}${status ? ` (${status})` : ''}`, {
    code: cause,
    // An envelope error without a reply is an address that never reached the server: retrying does not help.
    permanent: permanent ?? (code === 'EENVELOPE' && responseCode === undefined),
    isOfRecipient: command === 'RCPT TO' && isOfMailbox(status),
    reply: response,
    cause: error,
  });
}

/** Only an address or mailbox status (RFC 3463 §3.2 and §3.3) is about one recipient; without one, a refusal may be of all. */
const isOfMailbox = (status = '') => /^5\d\d[ -]5\.[12]\./.test(status);

interface SmtpFailure extends NodemailerError {
  /** The code of the operating system, where Nodemailer has replaced it with a broader one. */
  originalCode?: string;
}

function inWords(code: string, cause: string, server: string): string {
  const fault = certificateFaults[cause];
  if (fault) return `the certificate of ${server} ${fault}`;
  if (code === 'ETLS' || cause.startsWith('ERR_SSL_'))
    return `${server} does not offer the configured encryption; check email.smtp_port and email.smtp_starttls`;
  switch (code) {
    case 'EDNS':
      return `the name of ${server} does not resolve`;
    case 'ETIMEDOUT':
    case 'EABORT':
      return `${server} did not respond in time`;
    case 'EAUTH':
    case 'ENOAUTH':
      return `${server} rejected the user name or the password`;
    case 'EENVELOPE':
      return `${server} rejected the sender or the recipient`;
    case 'EMESSAGE':
      return `${server} rejected the message`;
    case 'ESOCKET':
    case 'ECONNECTION':
      return `${server} is unreachable`;
    default:
      return `${server} did not accept the email`;
  }
}
