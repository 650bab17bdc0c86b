import Bowser from 'bowser';

/** Longer ones are cut: the header can be as long as a client likes. */
export const longestUserAgent = 512;

/** Of other user agents the package repeats what they call themselves, and anybody can call a program anything. */
const knownNames = new Set<string | undefined>(
  [Bowser.BROWSER_MAP, Bowser.OS_MAP].flatMap(names => Object.values(names)),
);

/** Returns "Firefox on Linux", or null where the user agent names neither a known browser nor a known system. */
export function deviceOf(userAgent: string | undefined): string | null {
  if (!userAgent) return null;
  const { browser, os } = Bowser.parse(userAgent.slice(0, longestUserAgent));
  const names = [browser.name, os.name].filter(name => knownNames.has(name));
  return names.length > 0 ? names.join(' on ') : null;
}
