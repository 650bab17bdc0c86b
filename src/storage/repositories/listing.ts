/** Which part of a list to read; `Place` is where a row is in its order. */
export interface Listing<Place> {
  search?: string | null;
  /** Only rows behind this place. */
  after?: Place | null;
  skip?: number;
  limit?: number;
}
