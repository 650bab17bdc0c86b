import { readdirSync } from 'node:fs';
import { resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ConfigError, type ConfigProblem } from './errors.ts';
import { lazily } from './lazily.ts';
import { packageFile } from './package-files.ts';
import type { Values } from './words/message.ts';
import type { Words } from './words/words.ts';
import { wrap } from './words/wrap.ts';

const bundledViews = fileURLToPath(packageFile('views'));

export interface TemplateOptions {
  extraTemplateDirs: string[];
  /** `markup` escapes every value, `plain` does not. */
  form: 'markup' | 'plain';
  /** The filters for values in a template, by name. */
  filters?: Record<string, (value: string) => string>;
}

/**
 * Renders a template by its name, in a language.
 * @throws {Error} when it is missing, does not parse, or names a message that there is not
 */
export type Render = (name: string, variables: object, words: Words) => Promise<string>;

/**
 * Returns a renderer of templates by their name relative to `views`; the host application's templates have precedence over
 * the bundled ones, each file by itself. Files are read once for each language, and only from below these directories; a
 * template runs no code. Its filter `t` is a message as a text, `markup` one with elements in place of its tags, `wrap` a
 * paragraph of a text mail in lines.
 */
export function createTemplates({ extraTemplateDirs, form, filters = {} }: TemplateOptions): Render {
  // Loaded with the first page or email of a language.
  const engineOf = async (words: Words) => {
    const { Liquid } = await import('liquidjs');
    const engine = new Liquid({
      root: [...extraTemplateDirs, bundledViews],
      cache: true,
      ownPropertyOnly: true,
      // Otherwise a mistyped filter would leave the value unchanged.
      strictFilters: true,
      ...(form === 'markup' && { outputEscape: 'escape' }),
    });
    for (const [name, filter] of Object.entries(filters)) engine.registerFilter(name, filter);
    const say = form === 'markup' ? words.text : words.plain;
    engine.registerFilter('t', (id, ...given) => say(`${id}`, valuesOf(given)));
    engine.registerFilter('wrap', text => wrap(`${text}`));
    if (form === 'markup') {
      const handler = (id: unknown, ...given: unknown[]) => words.markup(`${id}`, valuesOf(given));
      engine.registerFilter('markup', { raw: true, handler });
    }
    return engine;
  };
  const engines = new Map<string, ReturnType<typeof lazily<Awaited<ReturnType<typeof engineOf>>>>>();

  return async (name, variables, words) => {
    const engine = engines.get(words.locale) ?? lazily(() => engineOf(words));
    engines.set(words.locale, engine);
    return (await engine()).renderFile(name, variables);
  };
}

/** Returns the variables that every layout has. */
export const languageOf = ({ locale, direction }: Words) => ({ locale, direction });

/** Returns the named arguments of a filter. @throws {Error} for one without a name, or without a value */
function valuesOf(given: unknown[]): Values {
  const values: Record<string, string | number> = {};
  for (const each of given) {
    if (!Array.isArray(each)) throw new Error('The values of a message have names: `name: value`.');
    const [name, value]: unknown[] = each;
    if (value === undefined || value === null)
      throw new Error(`The value "${name}" of a message is missing.`);
    values[`${name}`] = typeof value === 'number' ? value : String(value);
  }
  return values;
}

/** The folders of `views`, and of each of the host application's directories. */
const folders = ['mail', 'pages'] as const;
type Folder = (typeof folders)[number];

/** Renders one email or page. @throws {Error} that says what is wrong with its templates */
export type Rendering = () => Promise<unknown>;

/** A directory of templates, and the names of its templates: `pages/login.liquid`. */
interface TemplateDir {
  dir: string;
  names: string[];
}

/** Returns the templates in the host application's directories, and a problem for each directory that cannot be read. */
export function readTemplateDirs(dirs: string[]): { found: TemplateDir[]; problems: ConfigProblem[] } {
  const found: TemplateDir[] = [];
  const problems: ConfigProblem[] = [];
  for (const dir of dirs) {
    try {
      found.push({ dir, names: namesIn(dir) });
    } catch (error) {
      const { code = '', path = dir } = error as NodeJS.ErrnoException;
      const message = dirProblems[code] ?? `The directory cannot be read (${code}).`;
      problems.push({ source: 'extra_template_dirs', key: resolve(path), message });
    }
  }
  return { found, problems };
}

/** Returns the names of the bundled templates. */
export const bundledTemplates = (): string[] => namesIn(bundledViews);

const dirProblems: Record<string, string> = {
  ENOENT: 'There is no such directory.',
  ENOTDIR: 'It is a file, not a directory.',
};

function namesIn(dir: string): string[] {
  return readdirSync(dir, { withFileTypes: true })
    .filter(entry => folders.some(folder => folder === entry.name))
    .flatMap(({ name }) =>
      readdirSync(`${dir}/${name}`, { recursive: true, encoding: 'utf8' })
        .filter(file => file.endsWith('.liquid'))
        .map(file => `${name}/${file.replaceAll(sep, '/')}`),
    );
}

/**
 * Renders everything that the host application's templates affect. A layout is part of every page or email, so one
 * template of the host application makes its whole folder be rendered; without any, no template is loaded.
 * @throws {ConfigError} with everything that cannot be rendered, and each directory that cannot be read
 */
export async function assertTemplates(
  dirs: string[],
  renderings: Record<Folder, () => Rendering[]>,
): Promise<void> {
  const { found, problems } = readTemplateDirs(dirs);
  const names = found.flatMap(dir => dir.names);
  const touched = folders.filter(folder => names.some(name => name.startsWith(`${folder}/`)));
  problems.push(...(await templateProblems(touched.flatMap(folder => renderings[folder]()))));
  if (problems.length > 0) throw new ConfigError(problems);
}

/** Runs each rendering and returns what is wrong with the templates, each problem once. */
export async function templateProblems(renderings: Rendering[]): Promise<ConfigProblem[]> {
  const problems = new Map<string, ConfigProblem>();
  for (const render of renderings) {
    try {
      await render();
    } catch (error) {
      const problem = problemOf(error as Error);
      problems.set(JSON.stringify(problem), problem);
    }
  }
  return [...problems.values()];
}

/** Liquid writes file and position at the end of its messages. */
const placed = /^(?<message>.*), file:(?<file>.*), line:(?<line>\d+), col:\d+$/s;

function problemOf({ message }: Error): ConfigProblem {
  const { file, line, message: what } = placed.exec(message)?.groups ?? {};
  return {
    source: file ?? 'templates',
    key: line ? `line ${line}` : 'rendering',
    message: oneLine(what ?? message),
  };
}

const oneLine = (text: string) => text.replace(/\s+/g, ' ');
