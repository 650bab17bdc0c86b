import { EventEmitter, once } from 'node:events';
import { appendFile, chmod, mkdtemp, readFile, rename, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, inject, onTestFinished, test, vi } from 'vitest';
import { followLog } from '../../../src/validate/deployment/log-follow.ts';
import { followerOf, parseLogSource } from '../../../src/validate/deployment/log-source.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(inject('temporaryFolder'), 'log-'));
});

/** Follows a source until the test ends. */
async function follow(source: string) {
  const news = new EventEmitter();
  let seen = '';
  let ending: string | null = null;
  const sink = {
    text(chunk: string) {
      seen += chunk;
      news.emit('news');
    },
    ended(reason: string) {
      ending = reason;
      news.emit('news');
    },
  };
  const following = await followLog(parseLogSource(source), sink, 10_000);
  onTestFinished(() => following.close());
  return {
    seen: () => seen,
    async until(isSo: () => boolean) {
      while (!isSo()) await once(news, 'news');
    },
    ending: () => ending,
  };
}

/** A program of this name, first on the path, that notes its arguments and then does this. */
async function program(name: string, then: string): Promise<string> {
  const file = join(folder, name);
  const notes = join(folder, `${name}.arguments`);
  await writeFile(
    file,
    `#!/bin/sh\nfor a in "$@"; do printf '%s\\0' "$a"; done > '${notes}'\nfor last; do :; done\n${then}\n`,
  );
  await chmod(file, 0o755);
  vi.stubEnv('PATH', `${folder}:${process.env.PATH}`);
  onTestFinished(() => void vi.unstubAllEnvs());
  return notes;
}

describe('a log source', () => {
  test.each([
    ['file:/var/log/svc.log', { kind: 'file', path: '/var/log/svc.log' }],
    ['file:a:b c', { kind: 'file', path: 'a:b c' }],
    [
      'ssh:ann@host.example:/var/log/it.log',
      { kind: 'ssh', destination: 'ann@host.example', path: '/var/log/it.log' },
    ],
    ['ssh:host:log', { kind: 'ssh', destination: 'host', path: 'log' }],
    ['ssh:ann@[::1]:/log', { kind: 'ssh', destination: 'ann@::1', path: '/log' }],
    ['docker:gatehouse-1', { kind: 'docker', container: 'gatehouse-1' }],
    ['cmd:journalctl -fu svc | cat', { kind: 'cmd', command: 'journalctl -fu svc | cat' }],
  ])('is read from %s', (text, source) => {
    expect(parseLogSource(text)).toEqual(source);
  });

  // An option or a command in a place where a name belongs: `-oProxyCommand=…` makes ssh run a program.
  test.each([
    'ssh:-oProxyCommand=evil:/log',
    'ssh:ann@-oProxyCommand=evil:/log',
    'ssh:-l@host:/log',
    'ssh:$(evil)@host:/log',
    'ssh:a b@host:/log',
    'ssh:host;evil:/log',
    'ssh:host`evil`:/log',
    'docker:--help',
    'docker:a b',
    'docker:a;evil',
    'docker:$(evil)',
  ])('is refused where a name is none: %s', text => {
    expect(() => parseLogSource(text)).toThrow(/can't be the name of/);
  });

  test.each([
    '',
    'file:',
    'file',
    '/var/log/svc.log',
    'ftp:host',
    'ssh:host',
    'ssh:host:',
    'ssh::/log',
    'cmd:',
    'file:a\0b',
  ])('is refused in one line: %j', text => {
    expect(() => parseLogSource(text)).toThrow(/^[^\n]+$/);
  });

  test('becomes arguments and no command line', () => {
    const now = new Date('2026-01-31T12:00:00Z');
    expect(followerOf({ kind: 'docker', container: 'web' }, now)).toMatchObject({
      program: 'docker',
      args: ['logs', '--follow', '--since', '2026-01-31T12:00:00.000Z', '--', 'web'],
    });
    const { program, args } = followerOf({ kind: 'ssh', destination: 'a@b', path: "/it's; evil" }, now);
    expect([program, args.slice(-3, -1)]).toEqual(['ssh', ['--', 'a@b']]);
    expect(args.at(-1)).toMatch(/ sh '\/it'\\''s; evil'$/);
  });
});

describe('following', () => {
  test('a file takes what is written from now on, through truncation and rotation', async () => {
    const file = join(folder, 'svc.log');
    await writeFile(file, 'long ago\n'.repeat(100_000));
    const { seen, until } = await follow(`file:${file}`);
    await appendFile(file, 'one\n');
    await until(() => seen().endsWith('one\n'));
    await truncate(file, 0);
    await appendFile(file, 'two\n');
    await until(() => seen().endsWith('two\n'));
    await rename(file, `${file}.1`);
    await appendFile(`${file}.1`, 'the last of the old\n');
    await writeFile(file, 'three\n');
    await until(() => seen().endsWith('three\n'));
    expect(seen()).toBe('one\ntwo\nthe last of the old\nthree\n');
  });

  test('a file that is not there is one line', async () => {
    await expect(follow(`file:${folder}/absent`)).rejects.toThrow(
      /^The log .*absent can't be read \(ENOENT\)\.$/,
    );
    await expect(follow(`file:${folder}`)).rejects.toThrow(/can't be read|is not a file/);
  });

  test('a command takes what it writes, and says how it ended', async () => {
    const { seen, until, ending } = await follow("cmd:echo 'it works'; echo no more >&2; exit 3");
    await until(() => ending() !== null);
    expect(seen()).toBe('it works\n');
    expect(ending()).toBe('sh ended (3): no more');
  });

  test('ssh gives its far shell a path that stays one word, whatever is in it', async () => {
    // The far side's shell is this one's: sshd hands it the last argument.
    const notes = await program('ssh', 'exec sh -c "$last"');
    const file = join(folder, "it's $(touch evil); log");
    await writeFile(file, 'before\n');
    const { seen, until } = await follow(`ssh:ann@host:${file}`);
    await appendFile(file, 'after\n');
    await until(() => seen().endsWith('after\n'));
    const given = (await readFile(notes, 'utf8')).split('\0');
    expect(given.slice(0, 6)).toEqual(['-o', 'BatchMode=yes', '-o', 'ConnectTimeout=10', '--', 'ann@host']);
  });

  test('ssh that is refused is one line, before anything else is done', async () => {
    await program('ssh', "echo 'Permission denied (publickey).' >&2; exit 255");
    await expect(follow('ssh:ann@host:/log')).rejects.toThrow(
      "The log can't be followed: ssh ended (255): Permission denied (publickey).",
    );
  });

  test('docker takes both streams of the container', async () => {
    await program('docker', 'echo out; echo err >&2; exec sleep 600');
    const { seen, until } = await follow('docker:web');
    await until(() => seen().includes('out\n') && seen().includes('err\n'));
  });

  test('a program that is not installed is one line', async () => {
    vi.stubEnv('PATH', folder);
    onTestFinished(() => void vi.unstubAllEnvs());
    await expect(follow('docker:web')).rejects.toThrow('docker is not installed, or not on PATH.');
  });
});
