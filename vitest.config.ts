import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/away.ts'],
    reporters: ['default', './test/support/summary-reporter.ts'],
    silent: 'passed-only',
    testTimeout: 90_000,
    hookTimeout: 120_000,
    // One copy of `graphql` for our sources and the packages over it: it knows only types of its own copy.
    server: { deps: { inline: [/graphql/, /pothos/, /envelop/] } },
    // Processes, not threads: threads would share libuv's pool, which password hashing fills.
    pool: 'forks',
    // No module of ours keeps state, so the files of a worker share what they import; it saves a sixth of the time.
    isolate: false,
    // Tests wait for servers as often as for the processor.
    maxWorkers: Math.min(4, availableParallelism() + 1),
  },
});
