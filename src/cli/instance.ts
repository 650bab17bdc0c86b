import type { Assembled } from '../gatehouse.ts';
import { type FileOptions, loadSettings } from './settings.ts';

/** Runs one piece of work with an instance made from the configuration, and lets go of the database whatever happens. */
export async function withGatehouse(
  options: FileOptions,
  work: (gatehouse: Assembled) => Promise<void>,
): Promise<void> {
  const { config } = await loadSettings(options);
  const { assemble } = await import('../gatehouse.ts');
  const { createLog } = await import('./log.ts');
  const gatehouse = await assemble(config, { logger: createLog('warn', 2) });
  try {
    await work(gatehouse);
  } finally {
    await gatehouse.close();
  }
}
