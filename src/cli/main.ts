#!/usr/bin/env node
// Nothing else is imported before the version is checked: an older Node would fail in the middle of a dependency.
import { unfitNode } from '../node-version.ts';

if (unfitNode !== null) {
  console.error(`svc ${unfitNode}`);
  process.exit(1);
}
const { keepCompiledCode } = await import('./compiled-code.ts');
keepCompiledCode(`${import.meta.dirname}/../../.cache`);
if (process.argv[2] !== 'serve') {
  const { stdout } = process;
  // A command finishes its work when the reader of its output has gone: `svc validate | head`.
  stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    const isTold = stdout.listenerCount('error') > 1;
    if (code === 'EPIPE' || isTold) return;
    console.error(`Standard output can't be written (${code}).`);
    process.exit(1);
  });
}
// One who looks at a deployment from outside may have nothing of what the other commands load.
const { run } = await (process.argv[2] === 'check' ? import('./check-program.ts') : import('./program.ts'));
await run(process.argv);
