import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { packageFolder } from '../build.ts';
import { jwtSecret } from '../seed.ts';
import { cpuMsOf } from './spawn.ts';

/** A running `svc serve`. */
export interface Svc {
  url: string;
  pid: number;
  /** Processor time that it has used, in milliseconds. */
  cpuMs(): number;
  stop(): Promise<void>;
}

/**
 * Starts `svc serve` as it is installed, with the default configuration apart from the level of its log. Resolves when it
 * says where it listens.
 */
export async function startSvc(databaseUrl: string, cwd: string, { logLevel = 'error' } = {}): Promise<Svc> {
  const child = spawn(process.execPath, [join(packageFolder, 'dist/cli/main.js'), 'serve', '--port', '0'], {
    cwd,
    env: {
      PATH: process.env.PATH,
      SVC_JWT_SECRET: jwtSecret,
      SVC_DATABASE_URL: databaseUrl,
      SVC_LOG_LEVEL: logLevel,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  let text = '';
  const keep = (chunk: Buffer) => {
    text += chunk;
  };
  child.stdout.on('data', keep);
  while (!/^listening on /m.test(text)) {
    const [what] = await Promise.race([once(child.stdout, 'data'), ended]);
    if (!Buffer.isBuffer(what)) throw new Error(`svc serve did not start:\n${text}`);
  }
  child.stdout.off('data', keep).resume();
  return {
    cpuMs: () => cpuMsOf(child.pid!),
    url: /^listening on (\S+)/m.exec(text)![1]!,
    pid: child.pid!,
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
