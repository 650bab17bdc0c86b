/** Whose password is being set. */
export interface Person {
  email: string;
  fullName: string | null;
}

/** The name of the service. */
export interface Service {
  appName: string;
  baseUrl: string;
}

/** Returns a text as passwords are compared: without case, and with compatible forms of one character as one (NFKC). */
export const folded = (text: string) => text.normalize('NFKC').toLowerCase();

/** Returns a name as people type it into a password: as it is, without its spaces, and each of its words. */
function formsOf(name: string): string[] {
  const words = name.split(/\s+/);
  return [name, words.join(' '), words.join(''), words.join('-'), words.join('.'), words.join('_'), ...words];
}

/** Returns the local part of an address in all its forms: with and without what follows a plus sign (RFC 5233). */
const formsOfLocalPart = (local: string) =>
  [local, local.replace(/\+.*$/, '')].flatMap(part => [part, ...formsOf(part.replace(/[.+_-]+/g, ' '))]);

/** Returns the words of a person, to be compared with a whole password: address, its local part, and name. */
export function wordsOfPerson({ email, fullName }: Person): string[] {
  const local = email.slice(0, Math.max(0, email.lastIndexOf('@')));
  return distinct([email, ...formsOfLocalPart(local), ...formsOf(fullName ?? '')]);
}

/** Returns the words of the service, to be compared with a whole password: the name of the application, and its host. */
export function wordsOfService({ appName, baseUrl }: Service): string[] {
  const { hostname } = new URL(baseUrl);
  const labels = hostname.split('.');
  // `accounts.example.org`, `example.org`, and the labels themselves.
  const hosts = labels.map((_, i) => labels.slice(i).join('.'));
  return distinct([...formsOf(appName), ...hosts, ...labels]);
}

const distinct = (words: string[]) => [...new Set(words.map(word => folded(word.trim())).filter(Boolean))];
