const ofProcess: { baskets?: Map<string, string[]> } = globalThis as object;
const baskets = () => (ofProcess.baskets ??= new Map<string, string[]>());

/** Returns what a person has put into the basket; a real shop keeps it in its database. */
export const basketOf = (id: string): readonly string[] => baskets().get(id) ?? [];

export function addTo(id: string, item: string): void {
  baskets().set(id, [...basketOf(id), item]);
}
