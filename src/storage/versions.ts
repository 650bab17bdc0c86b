/** Something about the database that an operator should know. */
export interface Remark {
  outcome: 'warn' | 'fail';
  /** One line. */
  text: string;
}

type Version = readonly number[];

/** The oldest version of each database that Gatehouse supports (docs/operations.md). */
const oldest = {
  SQLite: [3, 44],
  PostgreSQL: [14],
  MongoDB: [4, 4],
} as const;

/** Returns the numbers at the beginning of a version: `15.18 (Debian …)` is 15.18. */
const parseVersion = (text: string): Version =>
  (/^\d+(\.\d+)*/.exec(text)?.[0] ?? '0').split('.').map(Number);

/** Returns whether the first version is earlier than the second, as far as the second is given. */
function isBefore(version: Version, other: Version): boolean {
  const at = other.findIndex((part, i) => (version[i] ?? 0) !== part);
  return at !== -1 && (version[at] ?? 0) < other[at]!;
}

/** Returns the remarks about the version of a database server, or of the SQLite that comes with the driver. */
export function remarksOnVersion(database: keyof typeof oldest, text: string): Remark[] {
  const version = parseVersion(text);
  const shown = version.join('.');
  if (isBefore(version, oldest[database])) {
    const needed = oldest[database].join('.');
    return [{ outcome: 'fail', text: `${database} ${shown} is too old: Gatehouse needs ${needed} or later` }];
  }
  if (database !== 'MongoDB' || !isLeaking(version)) return [];
  const fix = fixedIn.find(fixed => fixed[0] === version[0] && fixed[1] === version[1]) ?? fixedIn[0];
  const leak = 'lets anyone who can connect read its memory (CVE-2025-14847)';
  return [{ outcome: 'warn', text: `MongoDB ${shown} ${leak}: upgrade it to ${fix.join('.')} or later` }];
}

/** The first version of each series that fixes CVE-2025-14847; other series before 8.2 have none. */
const fixedIn = [
  [8, 2, 3],
  [8, 0, 17],
  [7, 0, 28],
  [6, 0, 27],
  [5, 0, 32],
  [4, 4, 30],
] as const;

function isLeaking(version: Version): boolean {
  const fixed = fixedIn.find(([major, minor]) => version[0] === major && version[1] === minor);
  return isBefore(version, fixed ?? fixedIn[0]);
}
