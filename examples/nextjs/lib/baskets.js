/** Returns what a person has put into the basket; a real shop keeps it in its database. */
export const basketOf = id => globalThis.baskets?.get(id) ?? [];

export function addTo(id, item) {
  globalThis.baskets ??= new Map();
  globalThis.baskets.set(id, [...basketOf(id), item]);
}
