import { type Assembled, assemble } from '../gatehouse.ts';
import { createLog } from './log.ts';
import { type FileOptions, loadSettings } from './settings.ts';

/** Runs one piece of work with an instance made from the configuration, and lets go of the database whatever happens. */
export async function withGatehouse(
  options: FileOptions,
  work: (gatehouse: Assembled) => Promise<void>,
): Promise<void> {
  const { config } = loadSettings(options);
  const gatehouse = await assemble(config, { logger: createLog('warn') });
  try {
    await work(gatehouse);
  } finally {
    await gatehouse.close();
  }
}
