#!/usr/bin/env node
// Nothing is imported before the version is checked: an older Node would fail in the middle of a dependency.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  console.error(`svc needs Node 22.18 or newer; this is Node ${process.versions.node}.`);
  process.exit(1);
}
const { keepCompiledCode } = await import('./compiled-code.ts');
keepCompiledCode(`${import.meta.dirname}/../../.cache`);
if (process.argv[2] !== 'serve') {
  const { stdout } = process;
  // A command finishes its work when nobody reads its output any more: `svc validate | head`.
  stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    const isTold = stdout.listenerCount('error') > 1;
    if (code === 'EPIPE' || isTold) return;
    console.error(`Standard output can't be written (${code}).`);
    process.exit(1);
  });
}
const { run } = await import('./program.ts');
await run(process.argv);
