import { spawn, spawnSync } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { emptyFolder, svc } from './support.ts';

const main = join(import.meta.dirname, '../../src/cli/main.ts');
const hasPython = spawnSync('python3', ['-c', 'import pty']).status === 0;
const keys = { enter: '\r', down: '\x1b[B', space: ' ', interrupt: '\x03', erase: '\x15' };

/** `svc init` in a terminal of its own. */
async function interview(cwd: string, args: string[] = []) {
  // A pseudo-terminal has no size until it is given one.
  const command = [
    'sh',
    '-c',
    'stty cols 120 rows 60; exec "$@"',
    'sh',
    process.execPath,
    main,
    'init',
    ...args,
  ];
  const script = 'import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)';
  const child = spawn('python3', ['-c', script, ...command], {
    cwd,
    env: { PATH: process.env.PATH, TERM: 'xterm' },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const news = new EventEmitter();
  let output = '';
  let from = 0;
  child.stdout.setEncoding('utf8').on('data', text => {
    output += text;
    news.emit('text');
  });
  const ended = once(child, 'close').then(([code]) => code as number);
  return {
    ended,
    output: () => stripVTControlCharacters(output),
    /** Waits for a question, then presses keys. */
    async answer(question: string, ...pressed: string[]) {
      while (!stripVTControlCharacters(output.slice(from)).includes(question)) await once(news, 'text');
      from = output.length;
      // One by one, as a person presses them: a chunk is read as one key.
      for (const key of pressed.slice(0, -1)) {
        child.stdin.write(key);
        await once(news, 'text');
      }
      child.stdin.write(pressed.at(-1)!);
    },
  };
}

describe.skipIf(!hasPython)('svc init in a terminal', () => {
  test('writes what a silent run writes when every question is answered with Enter', async () => {
    const [cwd, silent] = [await emptyFolder(), await emptyFolder()];
    await svc(['init', '--yes'], { cwd: silent });
    const { answer, ended, output } = await interview(cwd);
    await answer('What is the application called?', keys.enter);
    await answer('At which origin', keys.enter);
    await answer('Which database?', keys.enter);
    await answer('Where is it?', keys.enter);
    await answer('What should there be?', keys.enter);
    await answer('How do mails leave?', keys.enter);
    await answer('From which address?', keys.enter);
    await answer('Write these files?', keys.enter);
    expect(await ended).toBe(0);
    expect(await readFile(join(cwd, 'svc.toml'), 'utf8')).toBe(
      await readFile(join(silent, 'svc.toml'), 'utf8'),
    );
    const { config } = loadConfig({ cwd, env: {} });
    expect(output()).toContain('SVC_JWT_SECRET=<hidden>');
    expect(output()).not.toContain(config.jwtSecret.reveal());
  });

  test('writes what was answered, and shows it without its secrets first', async () => {
    const cwd = await emptyFolder();
    const { answer, ended, output } = await interview(cwd);
    await answer('What is the application called?', keys.erase, 'Acme "Inc"', keys.enter);
    await answer('At which origin', keys.erase, 'nowhere', keys.enter);
    await answer('It must be an origin', keys.erase, 'https://accounts.acme.example', keys.enter);
    await answer('Which database?', keys.down, keys.enter);
    await answer(
      'Where is it?',
      keys.erase,
      'postgresql+asyncpg://svc:hunter2@db.acme.example/svc',
      keys.enter,
    );
    // The first is on by default.
    await answer('What should there be?', keys.space, keys.enter);
    await answer('How do mails leave?', keys.down, keys.enter);
    await answer('From which address?', keys.erase, 'noreply@acme.example', keys.enter);
    await answer('Which mail server?', keys.erase, 'mail.acme.example', keys.enter);
    await answer('On which port?', keys.erase, '465', keys.enter);
    await answer('As which user?', 'acme', keys.enter);
    await answer('What is the password of acme?', "it's #1 \\", keys.enter);
    await answer('Write these files?', keys.enter);
    expect(await ended).toBe(0);
    const { config } = loadConfig({ cwd, env: {} });
    expect(config).toMatchObject({
      appName: 'Acme "Inc"',
      baseUrl: 'https://accounts.acme.example',
      requireVerification: false,
      enablePasswordReset: true,
      enableSms2fa: false,
    });
    expect(config.databaseUrl.reveal()).toBe('postgresql+asyncpg://svc:hunter2@db.acme.example/svc');
    const { smtpHost, smtpPort, smtpUsername, smtpPassword } = config.email;
    expect([smtpHost, smtpPort, smtpUsername]).toEqual(['mail.acme.example', 465, 'acme']);
    expect(smtpPassword!.reveal()).toBe("it's #1 \\");
    const preview = output().slice(output().lastIndexOf('svc.toml and svc.secrets.env'));
    expect(preview).toContain('base_url = "https://accounts.acme.example"');
    expect(preview).not.toMatch(/hunter2|it's #1/);
    expect(await readFile(join(cwd, 'svc.toml'), 'utf8')).not.toMatch(/hunter2|it's #1/);
  });

  test('writes nothing when somebody presses Ctrl-C, at the first question or the last, or says no', async () => {
    const cwd = await emptyFolder();
    const first = await interview(cwd);
    await first.answer('What is the application called?', keys.interrupt);
    expect(await first.ended).toBe(1);
    expect(first.output()).toContain('Nothing was written.');

    for (const last of [[keys.interrupt], ['n']]) {
      const { answer, ended } = await interview(cwd);
      for (const question of [
        'called?',
        'origin',
        'Which database?',
        'Where is it?',
        'there be?',
        'leave?',
        'address?',
      ])
        await answer(question, keys.enter);
      await answer('Write these files?', ...last);
      expect(await ended).toBe(1);
    }
    expect(await readdir(cwd)).toEqual([]);
  });
});
