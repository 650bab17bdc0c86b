import { createHash } from 'node:crypto';

/** How many slots the table has at first; a power of two, as always. */
const firstSize = 1024;

/**
 * A set of texts that remembers 48 bits of the hash of each: eight to sixteen bytes a text, however long it is. Two texts
 * of a million are taken for one with a probability of one in six hundred.
 */
export class Fingerprints {
  #slots = new Float64Array(firstSize);
  #size = 0;

  /** Adds a text. Returns false when it is there already. */
  add(text: string): boolean {
    // Zero marks an empty slot.
    const print = createHash('sha256').update(text).digest().readUIntBE(0, 6) + 1;
    if (!put(this.#slots, print)) return false;
    this.#size++;
    if (this.#size * 2 > this.#slots.length) this.#grow();
    return true;
  }

  #grow(): void {
    const larger = new Float64Array(this.#slots.length * 2);
    for (const print of this.#slots) if (print !== 0) put(larger, print);
    this.#slots = larger;
  }
}

/** Puts a number into the first free slot from its own on. Returns false when it is there already. */
function put(slots: Float64Array, print: number): boolean {
  for (let i = print % slots.length; ; i = (i + 1) % slots.length) {
    if (slots[i] === print) return false;
    if (slots[i] !== 0) continue;
    slots[i] = print;
    return true;
  }
}
