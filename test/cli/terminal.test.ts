import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { fromPath } from '../support/binaries.ts';
import { built } from '../support/built.ts';
import { emptyFolder, jwtSecret } from './support.ts';

/** script(1) of util-linux gives a command a terminal, and takes it away when it ends. */
const script = process.platform === 'linux' ? await fromPath('script') : undefined;

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

test.skipIf(!script).each([[[]], [['--workers', '2']]])(
  'closing the terminal of a server ends it (needs script of util-linux): %j',
  async args => {
    const command = [process.execPath, await built('svc'), 'serve', '--port', '0', ...args];
    const quoted = command.map(part => `'${part}'`).join(' ');
    const terminal = spawn(script!, ['--quiet', '--command', `echo pid $$; exec ${quoted}`, '/dev/null'], {
      cwd: await emptyFolder(),
      env: { PATH: process.env.PATH, SVC_JWT_SECRET: jwtSecret, SVC_DATABASE_URL: 'sqlite:///./svc.db' },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    onTestFinished(() => void terminal.kill('SIGKILL'));
    let output = '';
    const { promise, resolve } = Promise.withResolvers<void>();
    terminal.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (/^listening on /m.test(output)) resolve();
    });
    await promise;
    const pid = Number(/^pid (\d+)/m.exec(output)![1]);
    const origin = /^listening on (\S+)/m.exec(output)![1]!;
    expect((await fetch(`${origin}/healthz`)).status).toBe(200);

    terminal.kill('SIGKILL');
    await once(terminal, 'close');
    await expect.poll(() => isAlive(pid), { timeout: 20_000 }).toBe(false);
    // Nor does a worker stay behind.
    const answers = () =>
      fetch(`${origin}/healthz`).then(
        () => true,
        () => false,
      );
    await expect.poll(answers, { timeout: 20_000 }).toBe(false);
  },
);
