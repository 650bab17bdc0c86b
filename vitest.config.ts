import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { filesOf, type ProjectName, projects, tiers } from './test/support/projects.ts';
import { SlowFirst } from './test/support/slow-first.ts';

// `--mode fast`, `--mode all` and `--mode hosts` choose another tier than `test`.
export default defineConfig(({ mode }) => {
  const tier = tiers.find(name => name === mode) ?? 'test';
  const project = (name: ProjectName): TestProjectInlineConfiguration => ({
    test: {
      name,
      include: filesOf(name, tier).map(file => `test/${file}`),
      provide: { project: name, tier, needs: tier === 'fast' ? [] : projects[name].needs },
      globalSetup: ['test/support/global-setup.ts'],
      setupFiles: ['test/support/away.ts'],
      testTimeout: 90_000,
      hookTimeout: 120_000,
      // One copy of `graphql` for our sources and the packages over it: it knows only types of its own copy.
      server: { deps: { inline: [/graphql/, /pothos/, /envelop/] } },
      // Processes, not threads: threads would share libuv's pool, which password hashing fills.
      pool: 'forks',
      // No module of ours keeps state, so the files of a worker share what they import; it saves a sixth of the time.
      isolate: false,
    },
  });
  const names = Object.keys(projects) as ProjectName[];
  // The rules of GraphQL once more, over the oldest release of `graphql` that a host may have.
  const doors = project('doors').test;
  const oldest: TestProjectInlineConfiguration = {
    resolve: {
      alias: [{ find: /^graphql$/, replacement: fileURLToPath(import.meta.resolve('graphql-16')) }],
    },
    test: { ...doors, name: 'graphql-16', include: ['test/doors/graphql-*.test.ts'] },
  };
  const hasOldest = tier === 'test' || tier === 'all';
  return {
    test: {
      projects: [
        ...names.filter(name => filesOf(name, tier).length > 0).map(project),
        ...(hasOldest ? [oldest] : []),
      ],
      reporters: ['default', './test/support/summary-reporter.ts'],
      silent: 'passed-only',
      sequence: { sequencer: SlowFirst },
      // Tests wait for servers and programs as often as for the processor: on two cores, four leave 3 % of them idle, three 20 %.
      maxWorkers: Math.min(4, availableParallelism() + 2),
    },
  };
});
