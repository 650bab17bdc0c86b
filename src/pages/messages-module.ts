import { once } from '../lazily.ts';
import { type Bundle, bundles, idsOfBundles } from '../words/catalogue.ts';
import type { Languages } from '../words/languages.ts';
import type { Words } from '../words/words.ts';
import type { Asset } from './assets.ts';
import { hashOf } from './respond.ts';

/** Returns whose messages a page loads. */
export const bundleOf = (page: string): Bundle =>
  page === 'admin' ? 'console' : page === 'me' ? 'account' : 'people';

const ids = once(idsOfBundles);

const made = new WeakMap<Words, Partial<Record<Bundle, Asset>>>();

/** Returns the module with the messages of a page's scripts in one language. Each is made once, when it is asked for. */
export function messagesModule(bundle: Bundle, words: Words): Asset {
  const known = made.get(words) ?? {};
  made.set(words, known);
  known[bundle] ??= moduleOf(bundle, words);
  return known[bundle];
}

function moduleOf(bundle: Bundle, words: Words): Asset {
  const body = Buffer.from(`export default ${JSON.stringify(words.parsed(ids()[bundle]))};\n`);
  return {
    name: `messages-${bundle}.${words.locale}.js`,
    type: 'text/javascript; charset=utf-8',
    body,
    hash: hashOf(body),
  };
}

/** A module that can be asked for. */
interface MessagesModule {
  name: string;
  make(): Asset;
}

/**
 * Returns every module of these languages. Those of the default one have a second name, without their language, for layouts
 * of a host that do not name one.
 */
export const messagesModules = (languages: Languages): MessagesModule[] =>
  bundles.flatMap(bundle => [
    { name: `messages-${bundle}.js`, make: () => messagesModule(bundle, languages.default) },
    ...languages.offered.map(tag => ({
      name: `messages-${bundle}.${tag}.js`,
      make: () => messagesModule(bundle, languages.of(tag)),
    })),
  ]);
