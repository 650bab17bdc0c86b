/** Returns the address of a file of this package. This module is in a folder just below the package, in `src` and in `dist`. */
export const packageFile = (path: string): URL => new URL(`../${path}`, import.meta.url);
