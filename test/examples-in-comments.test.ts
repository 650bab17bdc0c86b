import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';

// An editor shows the example of a function where its name is typed.

const sources = join(import.meta.dirname, '../src');
const linesOf = (path: string) => readFileSync(join(sources, path), 'utf8').split('\n');

/** Returns whether the comment right before a line has an example. */
function hasExample(lines: readonly string[], at: number): boolean {
  if (!lines[at - 1]?.trimEnd().endsWith('*/')) return false;
  const start = lines.slice(0, at).findLastIndex(line => line.trimStart().startsWith('/**'));
  return lines.slice(start, at).some(line => line.includes('@example'));
}

/** Returns the functions and classes that an entry point exports, each with the file that declares it. */
function exportsOf(entry: string): { path: string; name: string }[] {
  const text = linesOf(entry).join('\n');
  const listed = [...text.matchAll(/^export \{([^}]*)\} from '([^']+)'/gm)].flatMap(([, names, from]) =>
    names!
      .split(',')
      .map(name => name.trim())
      .filter(name => name !== '' && !name.startsWith('type '))
      .map(name => ({ path: join(dirname(entry), from!), name })),
  );
  const all = [...text.matchAll(/^export \* from '([^']+)'/gm)].flatMap(([, from]) =>
    exportsOf(join(dirname(entry), from!)),
  );
  const declared = [...text.matchAll(/^export (?:async )?(?:function|class|const) (\w+)/gm)].map(
    ([, name]) => ({ path: entry, name: name! }),
  );
  return [...listed, ...all, ...declared];
}

test.each(['index.ts', 'testing/index.ts', 'client/index.ts', 'react/index.ts', 'verify/index.ts'])(
  'every function that %s exports has an example',
  entry => {
    const exported = exportsOf(entry);
    expect(exported.length).toBeGreaterThan(0);
    const lacking = exported.filter(({ path, name }) => {
      const lines = linesOf(path);
      const at = lines.findIndex(line =>
        new RegExp(`^export (?:async )?(?:function|class|const) ${name}\\b`).test(line),
      );
      return !hasExample(lines, at);
    });
    expect(lacking).toEqual([]);
  },
);

describe.each([
  ['composition/gatehouse.ts', 'Gatehouse'],
  ['server-api/users.ts', 'Users'],
  ['server-api/sessions.ts', 'Sessions'],
  ['client/client.ts', 'Client'],
  ['http/resource-server.ts', 'ResourceServer'],
  ['react/index.ts', 'UseSession'],
  ['react/index.ts', 'UseSignIn'],
])('%s', (path, name) => {
  test(`every method of ${name} has an example`, () => {
    const lines = linesOf(path);
    const from = lines.findIndex(line => new RegExp(`^export interface ${name}\\b`).test(line));
    const to = lines.findIndex((line, at) => at > from && line === '}');
    const methods = lines.flatMap((line, at) =>
      at > from && at < to && /^ {2}\w+(<.*>)?\(/.test(line) ? [{ at, line: line.trim() }] : [],
    );
    expect(methods.length).toBeGreaterThan(0);
    expect(methods.filter(({ at }) => !hasExample(lines, at))).toEqual([]);
  });
});
