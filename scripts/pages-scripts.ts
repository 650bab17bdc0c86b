// Makes the scripts that a browser loads, from those in `static` and from what they share with the service. They are made anew
// whenever the service is started or built from its sources, so they are not among these.
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build, type Plugin } from 'rolldown';
import { freshEnd, replaceFile } from './replace-file.ts';
import { writeWords } from './words.ts';

const root = join(import.meta.dirname, '..');
const folder = join(root, 'static/built');

/** The scripts that templates load by name. What a page alone needs becomes a file of its own, named after its script. */
const entries = {
  svc: 'static/svc.js',
  admin: 'static/admin.js',
  client: 'static/client.js',
  passkey: 'static/passkey.js',
  'gatehouse-client': 'src/client/core.ts',
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

/** Writes `static/built`: a file for each entry and page, and what several of them share; and the messages of every language, parsed. */
export async function writePagesScripts(): Promise<void> {
  writeWords();
  const { output } = await build({
    cwd: root,
    input: entries,
    platform: 'browser',
    logLevel: 'warn',
    // Messages reach browsers parsed.
    plugins: [withoutClass],
    resolve: { alias: { [parser]: `${parser}/no-parser.js` } },
    write: false,
    output: {
      entryFileNames: '[name].js',
      chunkFileNames: '[name].js',
      format: 'esm',
      minify: true,
      codeSplitting: {
        groups: [
          // A page that has none of the elements of ours can load the client.
          { name: 'shared-client', test: /src[\\/]client[\\/]/, minShareCount: 2, priority: 2 },
          { name: 'shared', minShareCount: 2, priority: 1 },
        ],
      },
    },
  });
  const made = output.map(({ fileName }) => fileName);
  for (const file of output)
    replaceFile(join(folder, file.fileName), file.type === 'chunk' ? file.code : String(file.source));
  // Another process may be making them, too.
  for (const name of readdirSync(folder))
    if (!made.includes(name) && !name.endsWith(freshEnd)) rmSync(join(folder, name), { force: true });
}

if (import.meta.main) await writePagesScripts();
