/**
 * Returns a function that makes something at its first call, and keeps it. After a failure, the next call tries again:
 * files or a connection that are unavailable for a moment must not stay missing.
 */
export function lazily<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch(error => {
      made = undefined;
      throw error;
    });
    return made;
  };
}

/**
 * Returns a function that returns what `make` returned within the last `milliseconds`, an error included, and calls it
 * again afterwards. Concurrent callers share one call.
 */
export function rememberFor<T>(milliseconds: number, make: () => Promise<T>): () => Promise<T> {
  let made: { at: number; result: Promise<T> } | undefined;
  return () => {
    const now = performance.now();
    if (!made || now - made.at >= milliseconds) made = { at: now, result: make() };
    return made.result;
  };
}

/** Returns a function that makes something at its first call, and keeps it. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
