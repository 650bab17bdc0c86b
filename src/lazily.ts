/**
 * Makes something when it is first asked for, and keeps it. What failed is made anew the next time: files or a
 * connection that could not be had for a moment must not be missing for good.
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
