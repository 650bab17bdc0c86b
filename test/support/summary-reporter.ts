import type { Reporter, TestModule, Vitest } from 'vitest/node';
import './global-setup.ts'; // for the type of what is provided

/** Ends the output with the backends that could not be had and a line `N passed, N failed, N skipped`. */
export default class SummaryReporter implements Reporter {
  #vitest!: Vitest;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = { passed: 0, failed: 0, skipped: 0 };
    for (const module of modules) {
      let moduleFailed = !module.ok();
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === 'failed') moduleFailed = false;
        counts[state === 'pending' ? 'skipped' : state] += 1;
      }
      // A file that fails outside its tests (it does not load, or a hook throws) must not look like success.
      if (moduleFailed) counts.failed += 1;
    }
    const { logger } = this.#vitest;
    for (const [name, server] of Object.entries(
      this.#vitest.getRootProject().getProvidedContext().servers ?? {},
    )) {
      if ('reason' in server) logger.log(`Backend not available: ${name}: ${server.reason}`);
    }
    logger.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  }
}
