import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PasswordHasher } from '../../src/crypto/password-hash.ts';
import { buildFilter } from '../../src/features/breached-passwords/build-filter.ts';
import { keyOf, sha1Of } from '../../src/features/breached-passwords/filter.ts';
import { openFilterFile } from '../../src/features/breached-passwords/filter-file.ts';
import { createPasswordPolicy } from '../../src/passwords/policy.ts';
import { median } from '../race.ts';
import type { Part } from './part.ts';

const listed = 1_000_000;
const checks = 20_000;
const person = { email: 'ada@example.org', fullName: 'Ada Lovelace' };

/** The cost of the rules for new passwords, beside the hash that every new password needs anyway. */
export const passwords: Part = async ({ passes }) => {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-passwords-'));
  try {
    const source = join(folder, 'source.txt');
    const filter = join(folder, 'known.filter');
    const lines = Array.from({ length: listed }, (_, i) => `${sha1Of(`known ${i}`)}:1\n`);
    await writeFile(source, lines.join(''));
    const startedAt = performance.now();
    await buildFilter({ source, output: filter, falsePositives: 0.001, leastCount: 1 });
    const buildMs = performance.now() - startedAt;

    const rules = { appName: 'Gatehouse', baseUrl: 'https://accounts.example.org' };
    const blocklist = createPasswordPolicy({ ...rules, passwordBlocklist: true });
    const breaches = createPasswordPolicy({ ...rules, passwordBlocklist: false });
    const known = await openFilterFile(filter);
    breaches.refuseWith(async password => (known.has(keyOf(sha1Of(password))) ? 'known' : null));
    const rows: [string, number][] = [];
    for (const [name, policy] of [
      ['blocklist', blocklist],
      [`filter of ${listed.toLocaleString('en')} passwords`, breaches],
    ] as const) {
      const check = async () => {
        for (let i = 0; i < checks; i++) await policy.refusalOf(`correct horse ${i}`, person);
      };
      rows.push([name, await microseconds(check, checks, passes)]);
    }
    const hasher = new PasswordHasher();
    rows.push([
      'Argon2id hash',
      await microseconds(() => hasher.hash('correct horse battery'), 1, 5 * passes),
    ]);
    const hash = rows.at(-1)![1];
    return [
      {
        title: `One new password, in the process; the filter was built in ${Math.round(buildMs)} ms`,
        columns: ['', 'µs', 'of the hash'],
        rows: rows.map(([name, us]) => [name, round(us), `${round((us / hash) * 100)} %`]),
      },
    ];
  } finally {
    await rm(folder, { recursive: true });
  }
};

const round = (figure: number) => Number(figure.toPrecision(3));

/** The median time of one check, after one pass that is not counted. */
async function microseconds(work: () => Promise<unknown>, count: number, passes: number): Promise<number> {
  const runs: number[] = [];
  for (let pass = -1; pass < passes; pass++) {
    const startedAt = performance.now();
    await work();
    if (pass >= 0) runs.push(((performance.now() - startedAt) * 1000) / count);
  }
  return median(runs);
}
