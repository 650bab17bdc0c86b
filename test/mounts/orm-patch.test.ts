import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { backends } from '../support/backends.ts';
import { installExamples, whySkipped } from '../support/installed-examples.ts';
import { ending, tellStory } from './host-story.ts';

const run = promisify(execFile);

// Gatehouse names one version of MikroORM. A host of the packed package gets the newest patch of it in its place, and the run
// says whether the version that is named can be that one.

const manifest = JSON.parse(await readFile(join(import.meta.dirname, '../../package.json'), 'utf8'));
const pin: string = manifest.dependencies['@mikro-orm/core'];
/** All but those of MongoDB, of which these tests have no server. */
const names = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }).filter(
  name => name.startsWith('@mikro-orm/') && name !== '@mikro-orm/mongodb',
);

/** The patches of the named version, and later ones, that the registry has of a package. */
async function patchesOf(name: string): Promise<string[]> {
  const { stdout } = await run('npm', ['view', `${name}@~${pin}`, 'version', '--json']);
  return [JSON.parse(stdout)].flat();
}

const patchOf = (version: string) => Number(version.split('.')[2]);
/** MikroORM refuses packages of several versions, so a patch is one when all of them have it. */
const [first, ...others] = (await Promise.all(names.map(patchesOf))).map(list => new Set(list));
const common = [...first!].filter(version => others.every(list => list.has(version)));
const newest = common.toSorted((a, b) => patchOf(b) - patchOf(a))[0]!;

const patched = Object.fromEntries(names.map(name => [name, newest]));
const { '@mikro-orm/postgresql': postgresql } = patched;
// The parts that the story uses beside it.
const peers = ['@simplewebauthn/server', 'express', 'prom-client', 'rate-limiter-flexible'];
const installed = await installExamples([], { '@mikro-orm/postgresql': postgresql! }, peers, patched);

describe.skipIf('reason' in installed)(`the newest patch of MikroORM${whySkipped(installed)}`, () => {
  const { folder } = installed as { folder: string };

  test('is of one version, and its story on SQLite and PostgreSQL says whether the pin can move', async ({
    annotate,
  }) => {
    const versions = await Promise.all(
      names.map(async name => {
        const path = join(folder, 'node_modules', name, 'package.json');
        return JSON.parse(await readFile(path, 'utf8')).version as string;
      }),
    );
    expect(new Set(versions)).toEqual(new Set([newest]));
    const stories = backends
      .filter(({ name, available }) => available && ['sqlite', 'postgresql'].includes(name))
      .map(async backend => {
        const database = await backend.createDatabase();
        try {
          expect(await tellStory(folder, database.url)).toEqual(ending);
        } finally {
          await database.drop();
        }
      });
    expect(stories).toHaveLength(2);
    const problems = (await Promise.allSettled(stories)).flatMap(told =>
      told.status === 'rejected' ? [String(told.reason)] : [],
    );
    const verdict = newest === pin ? 'is the newest' : problems.length === 0 ? 'can move' : 'cannot move';
    await annotate(`MikroORM ${newest}: the pin ${pin} ${verdict}. ${problems.join('; ')}`.trim(), 'figure');
    // A newer one that fails is a reason to stay. The one that is named must not fail.
    if (newest === pin) expect(problems).toEqual([]);
  });
});
