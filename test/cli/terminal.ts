import { spawn, spawnSync } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { stripVTControlCharacters } from 'node:util';
import { onTestFinished } from 'vitest';
import { built } from '../support/built.ts';

/** What lends a pseudo-terminal. */
export const hasPython = spawnSync('python3', ['-c', 'import pty']).status === 0;
export const keys = { enter: '\r', down: '\x1b[B', space: ' ', interrupt: '\x03', erase: '\x15' };

/** `svc` in a terminal of its own, or another program for Node. */
export async function inTerminal(
  args: string[],
  { cwd, env, program }: { cwd: string; env?: Record<string, string>; program?: string },
) {
  // A pseudo-terminal has no size until it is given one.
  const command = [
    'sh',
    '-c',
    'stty cols 120 rows 60; exec "$@"',
    'sh',
    process.execPath,
    program ?? (await built('svc')),
    ...args,
  ];
  const script = 'import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)';
  const child = spawn('python3', ['-c', script, ...command], {
    cwd,
    env: { PATH: process.env.PATH, TERM: 'xterm', ...env },
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
