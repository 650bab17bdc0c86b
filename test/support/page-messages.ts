import { idsOfBundles } from '../../src/words/catalogue.ts';
import { english } from '../../src/words/words.ts';

/**
 * Gives the scripts of the account page and of the console what they read of their page, so that they can be imported
 * outside of a browser.
 */
export function standInForPage(dataset: Record<string, string | undefined> = {}): void {
  const { account, console: ofConsole } = idsOfBundles();
  const messages = JSON.stringify(english.parsed([...account, ...ofConsole]));
  const svcMessages = `data:text/javascript,${encodeURIComponent(`export default ${messages}`)}`;
  Object.assign(globalThis, {
    document: { documentElement: { lang: 'en', dir: '' }, body: { dataset: { svcMessages, ...dataset } } },
  });
}
