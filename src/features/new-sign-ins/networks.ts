import { isIP } from 'node:net';
import { groupsOf } from '../../limits/client.ts';

/**
 * Returns the network of an address as a person keeps it: `192.0` (the /16 of IPv4) or `2001:db8` (the /32 of IPv6); null
 * where the address is not known. An IPv4-mapped IPv6 address (RFC 4291 §2.5.5.2) counts as that IPv4 address.
 */
export function networkOf(ip: string | null): string | null {
  const address = ip?.replace(/%.*$/, '') ?? '';
  if (isIP(address) === 4) return address.split('.').slice(0, 2).join('.');
  if (isIP(address) === 0) return null;
  const groups = groupsOf(address);
  const isMapped = groups.slice(0, 5).every(group => group === 0) && groups[5] === 0xffff;
  if (isMapped) return `${groups[6]! >> 8}.${groups[6]! & 0xff}`;
  return groups
    .slice(0, 2)
    .map(group => group.toString(16))
    .join(':');
}
