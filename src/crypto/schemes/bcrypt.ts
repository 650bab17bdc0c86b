import { lazily } from '../../lazily.ts';
import { assertWithin, type Scheme, UnusableHash } from './scheme.ts';

/** Loaded with the first hash that needs it. It works on libuv's threads, as Argon2 does. */
const load = lazily(async () => (await import('bcrypt')).default);

const form = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/;
const begins = /^\$2[a-z]?\$/;
/** Cost 16 takes about four seconds. */
const costs = [4, 15] as const;

/**
 * Returns a hash under the letter that the package has for today's algorithm. `2y` is the same; `2a` differs only in old
 * implementations that wrapped around the length of passwords over 255 bytes.
 */
const asCurrent = (text: string) => text.replace(begins, '$$2b$$');

const family = 'bcrypt';
const leastWork = 2 ** costs[0];

/**
 * bcrypt, as Devise, Laravel, Supabase and the packages of npm and PyPI use it. It ignores what follows the 72nd byte of a
 * password, as those do; a NUL counts as any other byte.
 */
export const bcryptScheme: Scheme = {
  read(text) {
    if (!begins.test(text)) return null;
    const [, digits] = form.exec(text) ?? [];
    if (digits === undefined) throw new UnusableHash('begins like bcrypt ($2a$, $2b$, $2y$), and is none');
    const cost = Number(digits);
    assertWithin('the bcrypt cost', cost, costs);
    return {
      family,
      work: 2 ** cost,
      verify: async password => (await load()).compare(Buffer.from(password), asCurrent(text)),
    };
  },

  spend: (wanted, work) => (wanted === family ? spend(work) : null),
};

/** Each cost is twice the work of the one below, so the binary digits of the work say which costs to spend. */
async function spend(work: number): Promise<void> {
  const { hash } = await load();
  for (let rest = work; rest >= leastWork; ) {
    const cost = Math.floor(Math.log2(rest));
    await hash('', cost);
    rest -= 2 ** cost;
  }
}
