import type { NodemailerError } from 'nodemailer';
import { DeliveryError } from '../outgoing/delivery-error.ts';

const untrusted = 'is signed by nobody this machine trusts (NODE_EXTRA_CA_CERTS names further authorities)';

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

/** Puts a failure of Nodemailer into words; `server` is `host:port`. */
export function smtpError(error: unknown, server: string): DeliveryError {
  const { code = 'unknown', originalCode, response, responseCode, permanent } = error as SmtpFailure;
  const cause = originalCode ?? code;
  // The reply code and the enhanced status code (RFC 3463 §2), and none of the text, which repeats addresses.
  const status = response && /^\d{3}(?:[ -]\d\.\d{1,3}\.\d{1,3})?/.exec(response)?.[0];
  return new DeliveryError(`${inWords(code, cause, server)}${status ? ` (${status})` : ''}`, {
    code: cause,
    // Without a reply, an envelope error is an address that never reached the server.
    permanent: permanent ?? (code === 'EENVELOPE' && responseCode === undefined),
    reply: response,
    cause: error,
  });
}

interface SmtpFailure extends NodemailerError {
  /** The system's own code, where Nodemailer has put a broader one in its place. */
  originalCode?: string;
}

function inWords(code: string, cause: string, server: string): string {
  const fault = certificateFaults[cause];
  if (fault) return `the certificate of ${server} ${fault}`;
  if (code === 'ETLS' || cause.startsWith('ERR_SSL_'))
    return `${server} offers no encryption of the kind asked for; see email.smtp_port and email.smtp_starttls`;
  switch (code) {
    case 'EDNS':
      return `the name of ${server} does not resolve`;
    case 'ETIMEDOUT':
    case 'EABORT':
      return `${server} did not answer in time`;
    case 'EAUTH':
    case 'ENOAUTH':
      return `${server} refused the username or the password`;
    case 'EENVELOPE':
      return `${server} refused the sender or the recipient`;
    case 'EMESSAGE':
      return `${server} refused the message`;
    case 'ESOCKET':
    case 'ECONNECTION':
      return `no connection to ${server}`;
    default:
      return `${server} did not take the mail`;
  }
}
