import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** The parameters that every authenticator app supports (RFC 6238 §4, with the defaults of RFC 4226). */
const stepSeconds = 30;
const digits = 6;
/** RFC 4226 §4 recommends 160 bits. */
const secretBytes = 20;

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Returns bytes in Base32 without padding (RFC 4648 §6), the form in which apps take a secret. */
export function base32(bytes: Uint8Array): string {
  const bits = [...bytes].map(byte => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{1,5}/g) ?? [])
    .map(five => alphabet[Number.parseInt(five.padEnd(5, '0'), 2)])
    .join('');
}

/** Returns the bytes of a Base32 text that `base32` made. */
export function fromBase32(text: string): Buffer {
  const bits = [...text].map(letter => alphabet.indexOf(letter).toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map(byte => Number.parseInt(byte, 2)));
}

/** Returns a new secret, in Base32. */
export const newSecret = () => base32(randomBytes(secretBytes));

/** Returns the code of a counter: HOTP (RFC 4226 §5.3), with SHA-1. */
export function hotp(secret: Uint8Array, counter: number, length = digits): string {
  const message = Buffer.alloc(8);
  message.writeBigUInt64BE(BigInt(counter));
  const mac = createHmac('sha1', secret).update(message).digest();
  const offset = mac[mac.length - 1]! & 0xf;
  const number = (mac.readUInt32BE(offset) & 0x7fffffff) % 10 ** length;
  return String(number).padStart(length, '0');
}

/** Returns the time step of a moment (RFC 6238 §4.2). */
export const stepAt = (moment: Date) => Math.floor(moment.getTime() / 1000 / stepSeconds);

/**
 * Returns the time step for which a code is right at this moment, or null. Spaces in the code are ignored, because apps
 * show codes in groups. Every step of the tolerance is compared, in constant time.
 * @param tolerance how many time steps a clock may be off, to either side (RFC 6238 §5.2)
 */
export function matchingStep(secret: string, code: string, moment: Date, tolerance: number): number | null {
  const typed = code.replace(/\s/g, '');
  if (!/^[0-9]{6}$/.test(typed)) return null;
  const key = fromBase32(secret);
  const now = stepAt(moment);
  let found: number | null = null;
  for (let step = now - tolerance; step <= now + tolerance; step++) {
    if (timingSafeEqual(Buffer.from(hotp(key, step)), Buffer.from(typed))) found = step;
  }
  return found;
}

/** Returns the URL that authenticator apps read from a QR code. */
export function otpauthUrl({
  issuer,
  account,
  secret,
}: Record<'issuer' | 'account' | 'secret', string>): string {
  // Apps split the label at its first colon.
  const label = `${encodeURIComponent(issuer.replaceAll(':', ' '))}:${encodeURIComponent(account)}`;
  const parameters = new URLSearchParams({ secret, issuer, algorithm: 'SHA1', digits: '6', period: '30' });
  return `otpauth://totp/${label}?${parameters.toString().replaceAll('+', '%20')}`;
}
