import { spawnSync } from 'node:child_process';

/** Whether tests run that take minutes, which only `npm run test:production` has. */
export const isProductionRun = process.env.TEST_PRODUCTION === '1';

/** How many files a process may have open, with what it may raise by itself. */
export const mostOpenFiles = (): number => {
  const { stdout } = spawnSync('sh', ['-c', 'ulimit -Hn'], { encoding: 'utf8' });
  return stdout.trim() === 'unlimited' ? Number.POSITIVE_INFINITY : Number(stdout);
};
