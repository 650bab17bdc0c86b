/** The same in a file, a variable, an address, a metric and an attribute. */
const plain = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/;
const longest = 50;

/** Returns whether an identity provider, a webhook or a resource may be called so. */
export const isPlainName = (name: string) => plain.test(name) && name.length <= longest;

/** The problem of a table with another name. */
export const needsPlainName = `must have a name of at most ${longest} lower-case letters, digits and single underscores that begins with a letter`;
