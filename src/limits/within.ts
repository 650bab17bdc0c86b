/** A place in a limit. */
export interface Taken {
  /** Gives it back, so that it does not count. */
  release(): Promise<void>;
}

/** Does what a place in a limit was taken for. When that fails, the place is given back, and the error is thrown. */
export async function within<T>(taken: Taken | null | undefined, act: () => Promise<T> | T): Promise<T> {
  try {
    return await act();
  } catch (error) {
    await taken?.release().catch(() => {});
    throw error;
  }
}
