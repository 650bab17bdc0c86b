// The name of a new passkey or app until its owner chooses another: the device of this browser.

/** The first that fits is taken: what calls itself Chrome may be another browser. @type {[RegExp, string][]} */
const browsers = [
  [/Edg(?:e|A|iOS)?\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/SamsungBrowser\//, 'Samsung Internet'],
  [/Firefox\/|FxiOS\//, 'Firefox'],
  [/Chrome\/|CriOS\//, 'Chrome'],
  [/Safari\//, 'Safari'],
];

/** @type {[RegExp, string][]} */
const systems = [
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/CrOS/, 'ChromeOS'],
  [/Mac OS X|Macintosh/, 'Mac'],
  [/Linux/, 'Linux'],
];

/** @type {(names: [RegExp, string][], agent: string) => string | undefined} */
const firstIn = (names, agent) => names.find(([pattern]) => pattern.test(agent))?.[1];

/** A phone or a tablet that is known by one name. */
const handheld = /iPhone|iPad/;

/** Returns "iPhone" or "Chrome on Linux"; an empty text for an unknown browser. */
export function deviceName(agent = navigator.userAgent) {
  const [own] = handheld.exec(agent) ?? [];
  if (own) return own;
  return [firstIn(browsers, agent), firstIn(systems, agent)].filter(Boolean).join(' on ');
}

/** Returns whether this is a device that people carry with them, on which an authenticator app would be. */
export const isHandheld = (agent = navigator.userAgent) => handheld.test(agent) || /Android/.test(agent);

/** Returns a name that none of these have: with a number behind it where it is taken. @type {(name: string, taken: string[]) => string} */
export function freeName(name, taken) {
  for (let number = 1; ; number++) {
    const free = number === 1 ? name : `${name} ${number}`;
    if (!taken.includes(free)) return free;
  }
}
