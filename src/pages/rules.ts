// The rules that the scripts of the pages share with the service; the build makes one file of them for browsers.
export { countedUpTo } from '../count-limits.ts';
export { lengthOfPassword, longestPassword, normalisePassword } from '../password-text.ts';
export { folded, wordsOfPerson } from '../passwords/own-words.ts';
