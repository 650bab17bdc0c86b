#!/usr/bin/env node
// Nothing is imported before the version is checked: an older Node would fail in the middle of a dependency.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  console.error(`svc needs Node 22.18 or newer; this is Node ${process.versions.node}.`);
  process.exit(1);
}
// The compile cache makes a command faster. A server would keep all of it, six MiB, for as long as it runs.
if (process.argv[2] !== 'serve') {
  const { enableCompileCache } = await import('node:module');
  enableCompileCache();
}
const { run } = await import('./program.ts');
await run(process.argv);
