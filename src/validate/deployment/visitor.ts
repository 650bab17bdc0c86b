import { randomBytes } from 'node:crypto';
import { addressLike } from './mailbox.ts';

/** The throwaway user; the last of its addresses and passwords are the present ones, as far as the probe knows. */
export interface Visitor {
  addresses: string[];
  /** Returns another address whose emails arrive where those of the first do. */
  newAddress(): string;
  passwords: string[];
  phone: string | null;
  token: string | null;
  /** Whether nobody has verified its address, as registration does not everywhere (`require_verification`). */
  isUnverified: boolean;
  /** How many second factors and passkeys it has. */
  factors: number;
  /** Those that are not used yet. */
  recoveryCodes: string[];
  /** The secret of its authenticator app, once the set-up has begun. */
  appSecret: string | null;
  /** `pending` while its link is not used; `unknown` while a registration was sent and has no response. */
  state: 'none' | 'unknown' | 'pending' | 'there' | 'deleted';
}

/** RFC 2606 §2: no person can own an address there, so no email of the probe arrives. */
const usualForm = '{tag}@probe.example';

export const newAddress = (form = usualForm) =>
  addressLike(form, `gatehouse-probe-${randomBytes(8).toString('hex')}`);

/** 72 characters: more than any configuration asks for. */
export const newPassword = () => randomBytes(54).toString('base64url');

/** `form` is the form of its addresses, if their emails must arrive somewhere. */
export function newVisitor(phone: string | null, form?: string): Visitor {
  const ownAddress = () => newAddress(form);
  return {
    addresses: [ownAddress()],
    newAddress: ownAddress,
    passwords: [newPassword()],
    phone,
    token: null,
    isUnverified: false,
    factors: 0,
    recoveryCodes: [],
    appSecret: null,
    state: 'none',
  };
}

export const emailOf = ({ addresses }: Visitor) => addresses.at(-1)!;

export const passwordOf = ({ passwords }: Visitor) => passwords.at(-1)!;
