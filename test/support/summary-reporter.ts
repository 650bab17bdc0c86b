import type { SerializedError, TestAnnotation } from 'vitest';
import type { Reporter, TestCase, TestModule, TestRunEndReason, Vitest } from 'vitest/node';
import './global-setup.ts'; // for the type of what is provided

/** Ends the output with the figures that tests have measured, what could not be had, and a line `N passed, N failed, N skipped`. */
export default class SummaryReporter implements Reporter {
  #vitest!: Vitest;
  readonly #figures: string[] = [];

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestCaseAnnotate(_test: TestCase, { type, message }: TestAnnotation): void {
    if (type === 'figure') this.#figures.push(message);
  }

  onTestRunEnd(
    modules: readonly TestModule[],
    _errors: readonly SerializedError[],
    reason: TestRunEndReason,
  ): void {
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
    // A failure outside of the files, such as a missing server, must not look like success either.
    if (reason !== 'passed' && counts.failed === 0) counts.failed = 1;
    const { logger } = this.#vitest;
    // Nothing was provided where the setup itself failed.
    const { parts = {} } = this.#vitest.getRootProject().getProvidedContext();
    for (const figure of this.#figures) logger.log(figure);
    for (const [name, part] of Object.entries(parts)) {
      if ('reason' in part) logger.log(`Not available, so its tests are skipped: ${name}: ${part.reason}`);
    }
    logger.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  }
}
