/** A JSON object that the client passes on as it is. */
export type Json = Record<string, unknown>;

/** The input of an operation that takes none. */
export type NoInput = Record<string, never>;

/** The options of every call beside its input. */
export interface CallOptions {
  /** Aborts the request; the call then rejects with the reason of the signal. */
  signal?: AbortSignal | undefined;
}

/** A page of a list. */
export interface Page<Item> {
  items: Item[];
  hasMore: boolean;
  /** What `after` of the next page is; null on the last page. */
  nextCursor: string | null;
}
