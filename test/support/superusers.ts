import { vi } from 'vitest';
import type { Repositories } from '../../src/storage/repositories/index.ts';

/** Has an act done once the next removal of a superuser is noted, as if it came from another process. Returns its refusals. */
export function onceNoted({ challenges }: Repositories, act: () => Promise<unknown>): unknown[] {
  const { noteRemoval } = challenges;
  const refusals: unknown[] = [];
  vi.spyOn(challenges, 'noteRemoval').mockImplementationOnce(async id => {
    const note = await noteRemoval(id);
    await act().catch(error => refusals.push(error));
    return note;
  });
  return refusals;
}
