/** Where to begin; other documents follow in the order of their names. */
const first = [
  'README',
  'quick-start',
  'embedding',
  'frameworks',
  'testing',
  'client',
  'server-rendered',
  'rest',
  'graphql',
];

/** The pages that only some readers need. */
const optional = new Set(['comparison', 'dependencies', 'performance']);

const nameOf = (path: string) => path.replace(/^docs\/|\.md$/g, '');

/** Returns the index of these documents: each with its title, and the first sentence after it. */
export function format(paths: readonly string[], read: (path: string) => string): string {
  const rank = (path: string) => {
    const place = first.indexOf(nameOf(path));
    return place < 0 ? first.length : place;
  };
  const lines = (list: readonly string[]) =>
    list.toSorted((a, b) => rank(a) - rank(b)).map(path => lineOf(path, read(path)));
  return `# Gatehouse

> Accounts and sign-in for a Node web application (package gatehouse-auth): REST and GraphQL over one service layer, ready-made pages, SQLite, PostgreSQL or MongoDB.

Begin with [AGENTS.md](AGENTS.md): mounting, guarding, testing, and mistakes to avoid. Paths are below the folder of the package.

## Docs

${lines(paths.filter(path => !optional.has(nameOf(path)))).join('\n')}

## Schemas

- [schema.graphql](schema.graphql): Every type and operation of GraphQL, with every feature on.

## Optional

${lines(paths.filter(path => optional.has(nameOf(path)))).join('\n')}
- [CHANGELOG.md](CHANGELOG.md): What changed, and what to do about it.
`;
}

function lineOf(path: string, text: string): string {
  const [, title = path] = /^# (.+)$/m.exec(text) ?? [];
  const [, paragraph = ''] = /^# .+\n\n((?:(?!```)[^#\n|-].*\n)+)/.exec(text) ?? [];
  const [sentence = ''] =
    /^.+?[.:](?=\s|$)/.exec(
      paragraph
        .replaceAll('\n', ' ')
        .replace(/\[([^\]]+)\]\([^)]+\)/g, '$1')
        .replaceAll('**', ''),
    ) ?? [];
  return `- [${title}](${path})${sentence && `: ${sentence.replace(/:$/, '.')}`}`;
}
