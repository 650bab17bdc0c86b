/**
 * Returns the known name that a mistyped one most likely means, if one is near enough: its table may be missing or wrong,
 * too.
 */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const plain = (text: string) => text.replace(/^SVC_/, '').replace(/[_.]/g, '').toLowerCase();
  const last = (text: string) => text.split(/\.|__/).at(-1)!;
  /** Returns the edit distance, or infinity when it is more than a quarter of the typed name. */
  const distance = (typed: string, meant: string) => {
    const edits = editDistance(plain(typed), plain(meant));
    const limit = Math.max(1, Math.floor(plain(typed).length / 4));
    return edits <= limit ? edits : Number.POSITIVE_INFINITY;
  };
  const [first] = known
    .map(k => ({
      k,
      distance: Math.min(
        distance(name, k),
        distance(name, last(k)) + 0.5,
        distance(last(name), last(k)) + 0.5,
      ),
    }))
    .sort((a, b) => a.distance - b.distance);
  return first && Number.isFinite(first.distance) ? first.k : undefined;
}

/**
 * Returns how many characters are added, omitted, replaced or swapped with the next (optimal string alignment distance).
 */
function editDistance(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const above = rows[i - 1]!;
      const replaced = above[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwap ? rows[i - 2]![j - 2]! + 1 : Number.POSITIVE_INFINITY;
      row.push(Math.min(above[j]! + 1, row[j - 1]! + 1, replaced, swapped));
    }
    rows.push(row);
  }
  return rows[a.length]![b.length]!;
}
