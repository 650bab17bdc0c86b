/** A map that drops the least recently used entry (LRU) once it holds more than `size` entries. */
export class RecentMap<K, V> {
  readonly #entries = new Map<K, V>();
  readonly #size: number;
  /** The key that was used last: moving it would change nothing, and leaves garbage in the map. */
  #last: K | undefined;

  constructor(size: number) {
    this.#size = size;
  }

  get(key: K): V | undefined {
    const value = this.#entries.get(key);
    if (value !== undefined && key !== this.#last) this.#add(key, value);
    return value;
  }

  set(key: K, value: V): void {
    this.#add(key, value);
    if (this.#entries.size > this.#size) this.#entries.delete(this.#entries.keys().next().value as K);
  }

  #add(key: K, value: V): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    this.#last = key;
  }
}
