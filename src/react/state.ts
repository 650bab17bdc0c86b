/** Returns a value that tells its listeners of every change, in the form that `useSyncExternalStore` takes. */
export function createState<T>(initial: T) {
  let value = initial;
  const listeners = new Set<() => void>();

  function subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }

  return {
    get: () => value,
    set(next: T): void {
      value = next;
      for (const listener of listeners) listener();
    },
    subscribe,
    /** Returns a `subscribe` that calls `start` for the first listener, and what that returns after the last one. */
    whileUsed(start: () => () => void) {
      let stop = () => {};
      return (listener: () => void): (() => void) => {
        const leave = subscribe(listener);
        if (listeners.size === 1) stop = start();
        return () => {
          leave();
          if (listeners.size === 0) stop();
        };
      };
    },
  };
}
