import v8 from 'node:v8';
import vm from 'node:vm';

/** The space of young objects while there is load. */
const youngSpace = {
  /** What V8 keeps new objects in before a collection. Half of it makes every request dearer by a tenth, twice of it saves nothing. */
  bytes: 8 * 2 ** 20,
  /** How often its size is looked at, in milliseconds. */
  everyMs: 1000,
  /** How long it may grow then, in milliseconds: under load, some collections. */
  growsForMs: 20,
};

/**
 * Lets V8 enlarge the space of young objects up to a bound, which V8 itself would exceed by 16 MiB under load. What a request
 * allocates dies with it, so that more space costs memory and saves nothing. Without load V8 makes the space small again.
 */
export function boundYoungSpace(): void {
  growTowardsBound();
  setInterval(growTowardsBound, youngSpace.everyMs).unref();
}

function growTowardsBound(): void {
  const { space_size } = v8.getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')!;
  // V8 counts both halves, of which one is in use.
  const factor = Math.floor(youngSpace.bytes / (space_size / 2));
  growYoungSpaceBy(Math.max(factor, 1));
  if (factor > 1) setTimeout(growYoungSpaceBy, youngSpace.growsForMs, 1).unref();
}

/** Only a collection after which many objects are left makes the space grow. */
const growYoungSpaceBy = (factor: number) => v8.setFlagsFromString(`--semi-space-growth-factor=${factor}`);

/** Releases memory that only the start needed, about a quarter of the process: V8 keeps it by itself while the load is low. */
export function releaseStartMemory(): void {
  v8.setFlagsFromString('--expose-gc');
  const collect = vm.runInNewContext('gc') as NodeJS.GCFunction;
  v8.setFlagsFromString('--no-expose-gc');
  // Only the `last-resort` flavour also shrinks the space of young objects.
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
