import { randomBytes } from 'node:crypto';

/** The throwaway user; the last of its addresses and passwords are the present ones, as far as the probe knows. */
export interface Visitor {
  addresses: string[];
  passwords: string[];
  phone: string | null;
  token: string | null;
  /** `pending` while its link is not used; `unknown` while a registration was sent and not answered. */
  state: 'none' | 'unknown' | 'pending' | 'there' | 'deleted';
}

/** RFC 2606 §2: nobody can have an address there, so no mail of the probe reaches anybody. */
const domain = 'probe.example';

export const newAddress = () => `gatehouse-probe-${randomBytes(8).toString('hex')}@${domain}`;

export const newPassword = () => randomBytes(24).toString('base64url');

export function newVisitor(phone: string | null): Visitor {
  return { addresses: [newAddress()], passwords: [newPassword()], phone, token: null, state: 'none' };
}

export const emailOf = ({ addresses }: Visitor) => addresses.at(-1)!;

export const passwordOf = ({ passwords }: Visitor) => passwords.at(-1)!;
