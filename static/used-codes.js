// The codes of authenticator apps that this tab has just used. Each works once, so another try with one would be lost.

const key = 'svc.used_codes';
/** No code is good for longer. */
const goodMs = 90_000;

/** @returns {[code: string, at: number][]} */
const recent = () =>
  JSON.parse(sessionStorage.getItem(key) ?? '[]').filter(
    (/** @type {[string, number]} */ [, at]) => Math.abs(Date.now() - at) < goodMs,
  );

/** @param {string} code */
export const rememberUsed = code =>
  sessionStorage.setItem(key, JSON.stringify([...recent(), [code, Date.now()]]));

/** Returns whether this code was used just now. @param {string} code */
export const wasUsed = code => recent().some(([used]) => used === code);
