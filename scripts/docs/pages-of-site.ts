import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, extname, join, posix } from 'node:path';

/**
 * Writes the pages of the site into a folder: each Markdown file and image of `docs/`, and a page for each file or folder
 * outside of it that a page links to. Links lead to those pages.
 *
 * @throws {Error} where a link leads to nothing
 */
export function stagePages(root: string, folder: string): void {
  // Git's list leaves out what a developer keeps beside the files, such as secrets and node_modules.
  const tracked = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  })
    .split('\0')
    .filter(Boolean);
  const waiting = tracked.filter(path => path.startsWith('docs/'));
  const seen = new Set(waiting);
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const page = pageOf(path);
    const target = join(folder, page);
    mkdirSync(dirname(target), { recursive: true });
    if (page === path.replace(/^docs\//, '') && extname(page) !== '.md') {
      writeFileSync(target, readFileSync(join(root, path)));
      continue;
    }
    const text = textOf(root, path, tracked);
    const linked = withLinks(text, link => {
      const to = posix.join(posix.dirname(path), link).replace(/\/$/, '');
      if (!tracked.some(file => file === to || file.startsWith(`${to}/`)))
        throw new Error(`${path} links to ${link}, which is not a file of the project.`);
      if (!seen.has(to)) {
        seen.add(to);
        waiting.push(to);
      }
      const relative = posix.relative(posix.dirname(page), pageOf(to));
      return relative.startsWith('.') ? relative : `./${relative}`;
    });
    writeFileSync(target, linked);
  }
}

/** The path of the page that shows a file or a folder of the project. */
function pageOf(path: string): string {
  if (path === 'docs/README.md') return 'index.md';
  const inside = path.replace(/^docs\//, '');
  const isShown = inside !== path && /\.(?:md|png|svg)$/.test(inside);
  return isShown ? inside : `project/${path.replace(/\.md$/, '')}.md`;
}

function textOf(root: string, path: string, tracked: readonly string[]): string {
  const read = (file: string) => readFileSync(join(root, file), 'utf8');
  if (!statSync(join(root, path)).isDirectory())
    return extname(path) === '.md' ? read(path) : `# ${path}\n\n${codeOf(path, read(path))}`;
  const files = tracked.filter(file => file.startsWith(`${path}/`));
  if (path.startsWith('docs/')) {
    const pages = files.filter(file => extname(file) === '.md').map(file => posix.relative('docs', file));
    return `# ${path}\n\n${pages.map(page => `- [${page}](${page})`).join('\n')}\n`;
  }
  const readme = files.find(file => file === `${path}/README.md`);
  // Its links are relative to the folder; those of its page are relative to the folder above.
  const introduction = readme
    ? withLinks(read(readme), link => `./${posix.join(basename(path), link)}`)
    : `# ${path}\n`;
  const sources = files
    .filter(file => file !== readme && isText(file))
    .map(file => `## ${file.slice(path.length + 1)}\n\n${codeOf(file, read(file))}`);
  return [introduction, ...sources].join('\n');
}

const isText = (file: string) => !/\.(?:png|ico|woff2|db)$|package-lock\.json$/.test(file);

const languages: Record<string, string> = {
  css: 'css',
  go: 'go',
  graphql: 'graphql',
  html: 'html',
  js: 'js',
  json: 'json',
  py: 'python',
  toml: 'toml',
  ts: 'ts',
  tsx: 'tsx',
  yaml: 'yaml',
  yml: 'yaml',
};

const codeOf = (file: string, text: string) =>
  `\`\`\`\`\`${languages[extname(file).slice(1)] ?? 'txt'}\n${text.trimEnd()}\n\`\`\`\`\`\n`;

/** Languages of code that the site's highlighter knows by another name, or not at all. */
const known: Record<string, string> = { caddy: 'txt', graphqls: 'graphql' };

/** Replaces the relative links of Markdown, and leaves code as it is. */
function withLinks(text: string, replaced: (path: string) => string): string {
  let fence: string | undefined;
  return text
    .split('\n')
    .map(line => {
      const [mark] = /^\s*(`{3,})/.exec(line)?.slice(1) ?? [];
      if (mark && (fence === undefined || mark.length >= fence.length)) {
        fence = fence === undefined ? mark : undefined;
        return line.replace(/(?<=`)(?:caddy|graphqls)$/, name => known[name]!);
      }
      if (fence !== undefined) return line;
      return line.replace(/(`+)[^`]*\1|\]\((?!\w+:|#)([^)#\s]+)/g, (all, _code, path?: string) =>
        path === undefined ? all : `](${replaced(path)}`,
      );
    })
    .join('\n');
}

/** The index of `docs/README.md` as the sidebar of the site: its headings, and the pages that their rows name. */
export function sidebarOf(index: string): { text: string; items: { text: string; link: string }[] }[] {
  return index
    .split(/^## /m)
    .slice(1)
    .map(section => {
      const links = [...section.matchAll(/\[([^\]]+)\]\(([a-z/-]+)\.md\)/g)];
      return {
        text: section.split('\n')[0]!,
        items: links.map(([, text, path]) => ({
          text: text!.replace(/^./, first => first.toUpperCase()),
          link: `/${path}`,
        })),
      };
    });
}
