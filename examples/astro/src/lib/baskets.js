const baskets = new Map();

/** Returns what a person has put into the basket; a real shop keeps it in its database. */
export const basketOf = id => baskets.get(id) ?? [];

export const addTo = (id, item) => baskets.set(id, [...basketOf(id), item]);
