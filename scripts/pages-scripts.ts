// Makes the files that the bundled pages load from the sources of the client and of the rules. They are made anew whenever
// the service is started or built from its sources, so they are not among these.
import { join } from 'node:path';
import { build, type Plugin } from 'rolldown';
import { writeWords } from './words.ts';

const root = join(import.meta.dirname, '..');

/** The console loads the operations of administration beside the client. */
const entries = {
  'gatehouse-client': 'src/client/core.ts',
  'gatehouse-administration': 'src/client/administration.ts',
  'gatehouse-api-keys': 'src/client/api-keys.ts',
  'gatehouse-rules': 'src/pages/rules.ts',
  'gatehouse-messages': 'src/pages/formatter.ts',
};

const parser = '@formatjs/icu-messageformat-parser';

/** Lets the class of the formatter's package be left out where only its function is used: its static blocks look like effects. */
const withoutClass: Plugin = {
  name: 'without-class',
  transform: {
    filter: { id: /intl-messageformat\/index\.js$/ },
    handler(code) {
      const [begin, end] = ['var IntlMessageFormat = class', '};\n// packages/intl-messageformat/index.ts'];
      if (!code.includes(begin) || !code.includes(end))
        throw new Error('intl-messageformat has another form.');
      return code
        .replace(begin, 'var IntlMessageFormat = /* @__PURE__ */ (() => class')
        .replace(end, end.replace('}', '})()'));
    },
  },
};

/** Writes each file into `static`, whole: none imports anything; and the messages of every language, parsed. */
export async function writePagesScripts(): Promise<void> {
  writeWords();
  for (const [name, input] of Object.entries(entries)) {
    await build({
      cwd: root,
      input: { [name]: input },
      platform: 'browser',
      logLevel: 'warn',
      // Messages reach browsers parsed.
      plugins: [withoutClass],
      resolve: { alias: { [parser]: `${parser}/no-parser.js` } },
      output: { dir: join(root, 'static'), entryFileNames: '[name].js', format: 'esm', minify: true },
    });
  }
}

if (import.meta.main) await writePagesScripts();
