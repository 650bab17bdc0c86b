import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { sbomOf } from '../../scripts/write-sbom.ts';
import { installExamples, whySkipped } from '../support/installed-examples.ts';
import { ending, tellStory } from './host-story.ts';

// The packed package works with the lowest and with the highest version of each range that it states.

const run = promisify(execFile);
const manifest = await readFile(join(import.meta.dirname, '../../package.json'), 'utf8');
const { dependencies, optionalDependencies, peerDependencies } = JSON.parse(manifest) as Record<
  'dependencies' | 'optionalDependencies' | 'peerDependencies',
  Record<string, string>
>;

/** The peers that the story uses; the databases' and the clouds' have tests of their own. */
const used = [
  '@node-rs/argon2',
  '@simplewebauthn/server',
  'express',
  'graphql',
  'openid-client',
  'prom-client',
];
const ranges = {
  ...dependencies,
  ...optionalDependencies,
  ...Object.fromEntries(used.map(name => [name, peerDependencies[name]!])),
};
const each = (choose: (range: string) => string) =>
  Object.fromEntries(Object.entries(ranges).map(([name, range]) => [name, choose(range)]));

const hosts = {
  lowest: await installExamples(
    [],
    each(range => range.replace(/^\^/, '').replace(/ .*/, '')),
  ),
  highest: await installExamples(
    [],
    each(range => range),
  ),
};

describe.each(Object.entries(hosts))('with the %s version of each range', (_, installed) => {
  describe.skipIf('reason' in installed)(`the packed package${whySkipped(installed)}`, () => {
    const { folder } = installed as { folder: string };

    test('serves REST, GraphQL, pages and guards of a host', async () => {
      expect(await tellStory(folder)).toEqual(ending);
    });
  });
});

describe.skipIf('reason' in hosts.highest)('an application that is new', () => {
  test('has one copy of each package that Gatehouse names', async () => {
    const { folder } = hosts.highest as { folder: string };
    const { stdout } = await run('npm', ['ls', '--all', '--json'], { cwd: folder, maxBuffer: 2 ** 26 });
    const versions = new Map<string, Set<string>>();
    const walk = (tree: Tree) => {
      for (const [name, child] of Object.entries(tree.dependencies ?? {})) {
        if (child.version) versions.set(name, (versions.get(name) ?? new Set()).add(child.version));
        walk(child);
      }
    };
    walk(JSON.parse(stdout));
    // The command of liquidjs needs an older one, and nothing of ours runs it.
    versions.delete('commander');
    expect([...versions].filter(([name, found]) => name in ranges && found.size > 1)).toEqual([]);
  });
});

describe.skipIf('reason' in hosts.highest)('the bill of materials', () => {
  test('names the packages of an installation, with their licences, and none of the developers', () => {
    const bill = JSON.parse(sbomOf(manifest)) as Bill;
    expect(bill.bomFormat).toBe('CycloneDX');
    expect(bill.metadata.component.name).toBe('gatehouse-auth');
    const names = bill.components.map(({ purl }) =>
      decodeURIComponent(purl.replace(/^pkg:npm\/|@[^@]*$/g, '')),
    );
    expect(names).toEqual(expect.arrayContaining(Object.keys({ ...dependencies, graphql: '' })));
    const { devDependencies, peerDependencies } = JSON.parse(manifest);
    const foreign = Object.keys({ ...devDependencies, ...peerDependencies }).filter(
      name => !(name in dependencies) && name !== 'graphql',
    );
    expect(names.filter(name => foreign.includes(name))).toEqual([]);
    expect(bill.components.filter(({ licenses }) => !licenses?.length)).toEqual([]);
  });
});

interface Bill {
  bomFormat: string;
  metadata: { component: { name: string } };
  components: { purl: string; licenses?: object[] }[];
}

interface Tree {
  version?: string;
  dependencies?: Record<string, Tree>;
}
