import { scrypt, timingSafeEqual } from 'node:crypto';
import {
  assertLengths,
  assertWithin,
  bytesOfBase64,
  mostMemory,
  type Scheme,
  UnusableHash,
  unpadded,
} from './scheme.ts';

/** The parameters of scrypt (RFC 7914): N is 2 to the power of `ln`. */
export interface ScryptCost {
  ln: number;
  r: number;
  p: number;
}

const form = /^\$scrypt\$ln=(\d{1,3}),r=(\d{1,4}),p=(\d{1,4})\$([A-Za-z0-9+/]*)\$([A-Za-z0-9+/]+)$/;
const lnBounds = [1, 20] as const;
/** The most N·r·p: four times what OWASP recommends, about two seconds. */
const mostBlocks = 4_194_304;
/** The memory that the work of another hash is done with, in bytes. */
const spentMemory = 67_108_864;

/** Bytes of memory, and how much work it is. */
const memoryOf = ({ ln, r }: ScryptCost) => 128 * 2 ** ln * r;
export const scryptWork = ({ ln, p }: ScryptCost) => 2 ** ln * p;
export const scryptFamily = ({ r }: Pick<ScryptCost, 'r'>) => `scrypt-r${r}`;

/** @throws {UnusableHash} */
export function assertScryptCost(cost: ScryptCost): void {
  assertWithin('the scrypt parameter ln', cost.ln, lnBounds);
  assertWithin('the scrypt parameter r', cost.r, [1, 1024]);
  assertWithin('the scrypt parameter p', cost.p, [1, 1024]);
  if (memoryOf(cost) > mostMemory) {
    throw new UnusableHash(`needs ${memoryOf(cost) / 1_048_576} MiB of memory, where 256 can be checked`);
  }
  assertWithin('the scrypt work N·r·p', scryptWork(cost) * cost.r, [1, mostBlocks]);
}

/** Returns a derived key. On libuv's threads. */
export function deriveScrypt(password: string, salt: Uint8Array, length: number, cost: ScryptCost) {
  const { ln, r, p } = cost;
  // Node refuses more than 32 MiB unless it is told; p and some blocks are beside the large table.
  const maxmem = memoryOf(cost) + 128 * r * (p + 2) + 1_048_576;
  return new Promise<Buffer>((resolve, reject) => {
    const options = { N: 2 ** ln, r, p, maxmem };
    scrypt(password, salt, length, options, (error, key) => (error ? reject(error) : resolve(key)));
  });
}

/** Returns the PHC form of a hash. */
export const scryptForm = ({ ln, r, p }: ScryptCost, salt: Uint8Array, digest: Uint8Array) =>
  `$scrypt$ln=${ln},r=${r},p=${p}$${unpadded(salt)}$${unpadded(digest)}`;

/** scrypt in the PHC string format. */
export const scryptScheme: Scheme = {
  read(text) {
    if (!text.startsWith('$scrypt$')) return null;
    const [, ln, r, p, saltText, digestText] = form.exec(text) ?? [];
    if (ln === undefined)
      throw new UnusableHash('begins like scrypt ($scrypt$ln=…,r=…,p=…$salt$hash), and is none');
    const cost = { ln: Number(ln), r: Number(r), p: Number(p) };
    assertScryptCost(cost);
    const [salt, expected] = [bytesOfBase64(saltText!), bytesOfBase64(digestText!)];
    assertLengths(salt, expected);
    return {
      family: scryptFamily(cost),
      work: scryptWork(cost),
      verify: async password =>
        timingSafeEqual(await deriveScrypt(password, salt, expected.length, cost), expected),
    };
  },

  spend(family, work) {
    const r = Number(/^scrypt-r(\d+)$/.exec(family)?.[1]);
    return r ? spend(r, work) : null;
  },
};

/** The same work in tables of a bounded size: a large one, and then smaller ones for the rest. */
async function spend(r: number, work: number): Promise<void> {
  const largest = Math.floor(Math.log2(spentMemory / (128 * r)));
  for (let rest = work; rest >= 2; ) {
    const ln = Math.min(largest, Math.floor(Math.log2(rest)));
    const p = Math.floor(rest / 2 ** ln);
    await deriveScrypt('', new Uint8Array(), 32, { ln, r, p });
    rest -= p * 2 ** ln;
  }
}
