import { timingSafeEqual } from 'node:crypto';

/** Returns whether two texts are the same, in constant time (timing attack). */
export function isSameText(a: string, b: string): boolean {
  const [first, second] = [Buffer.from(a), Buffer.from(b)];
  return first.length === second.length && timingSafeEqual(first, second);
}
