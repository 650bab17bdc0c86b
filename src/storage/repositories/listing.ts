/** Which part of a list to read. */
export interface Listing {
  search?: string | null;
  /** Only rows after this key. */
  after?: string | null;
  skip?: number;
  limit?: number;
}
