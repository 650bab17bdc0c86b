import { isIPv6 } from 'node:net';

/**
 * Returns the client as limits count it: an IPv4 address, or the /64 of an IPv6 address, because that is what one
 * subscriber gets (RFC 6177 §2). An IPv4-mapped IPv6 address (RFC 4291 §2.5.5.2) counts as that IPv4 address.
 */
export function clientOf(ip: string | null): string {
  if (ip === null) return 'none';
  if (!isIPv6(ip)) return ip;
  const groups = groupsOf(ip);
  const isMapped = groups.slice(0, 5).every(group => group === 0) && groups[5] === 0xffff;
  if (isMapped)
    return groups
      .slice(6)
      .flatMap(group => [group >> 8, group & 0xff])
      .join('.');
  return `${groups
    .slice(0, 4)
    .map(group => group.toString(16))
    .join(':')}::/64`;
}

/** Returns the eight groups of an IPv6 address (RFC 4291 §2.2). */
export function groupsOf(address: string): number[] {
  const dotted = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(address);
  const text = dotted ? `${dotted[1]}${pair(dotted[2], dotted[3])}:${pair(dotted[4], dotted[5])}` : address;
  const [head = '', tail] = text.split('::');
  const parse = (part: string) =>
    part === '' ? [] : part.split(':').map(group => Number.parseInt(group, 16));
  if (tail === undefined) return parse(head);
  const [left, right] = [parse(head), parse(tail)];
  return [...left, ...Array(8 - left.length - right.length).fill(0), ...right];
}

const pair = (high = '0', low = '0') => (Number(high) * 256 + Number(low)).toString(16);
