import { access, mkdtemp, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { hasPython, inTerminal, keys } from '../cli/terminal.ts';
import { buildCreate } from '../support/created.ts';

describe.skipIf(!hasPython)('npm create gatehouse-auth in a terminal', () => {
  let program: string;
  beforeAll(async () => {
    program = join(await buildCreate(), 'dist/main.js');
  });
  const emptyFolder = () => mkdtemp(join(inject('temporaryFolder'), 'created-'));

  test('asks for a folder, a framework and a database', async () => {
    const cwd = await emptyFolder();
    const { answer, ended, output } = await inTerminal([], { cwd, program });
    await answer('In which folder?', keys.enter);
    await answer('Which framework?', keys.down, keys.enter);
    await answer('Which database?', keys.down, keys.enter);
    expect(await ended).toBe(0);
    expect(output()).toContain('my-app is ready: Fastify on PostgreSQL.');
    const { dependencies } = JSON.parse(await readFile(join(cwd, 'my-app/package.json'), 'utf8'));
    expect(Object.keys(dependencies)).toEqual(
      expect.arrayContaining(['fastify', '@mikro-orm/postgresql', 'gatehouse-auth']),
    );
  });

  test('asks only for what the command line leaves open', async () => {
    const cwd = await emptyFolder();
    const { answer, ended } = await inTerminal(['shop', '--database', 'sqlite'], { cwd, program });
    await answer('Which framework?', keys.enter);
    expect(await ended).toBe(0);
    await access(join(cwd, 'shop/svc.toml'));
  });

  test('writes nothing after Ctrl-C', async () => {
    const cwd = await emptyFolder();
    const { answer, ended, output } = await inTerminal(['shop'], { cwd, program });
    await answer('Which framework?', keys.interrupt);
    expect(await ended).toBe(1);
    expect(output()).toContain('Nothing was written.');
    expect(await readdir(cwd)).toEqual([]);
  });
});
