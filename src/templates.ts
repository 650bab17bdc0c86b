import { fileURLToPath } from 'node:url';
import { lazily } from './lazily.ts';

/** The same from src in development and from dist in the package. */
const bundledViews = fileURLToPath(new URL('../views', import.meta.url));

export interface TemplateOptions {
  extraTemplateDirs: string[];
  /** `markup` escapes every value, `plain` lets it stand as it is. */
  form: 'markup' | 'plain';
  /** What a template can do to a value, by name. */
  filters?: Record<string, (value: string) => string>;
}

/** Renders a template by its name. @throws {Error} when it is missing or does not parse */
export type Render = (name: string, variables: object) => Promise<string>;

/**
 * Templates by their name relative to `views`, the host's before ours, each file by itself. Files are read once, and
 * only from below these directories; a template runs no code.
 */
export function createTemplates({ extraTemplateDirs, form, filters = {} }: TemplateOptions): Render {
  // Loaded with the first page or mail.
  const engine = lazily(async () => {
    const { Liquid } = await import('liquidjs');
    const engine = new Liquid({
      root: [...extraTemplateDirs, bundledViews],
      cache: true,
      ownPropertyOnly: true,
      ...(form === 'markup' && { outputEscape: 'escape' }),
    });
    for (const [name, filter] of Object.entries(filters)) engine.registerFilter(name, filter);
    return engine;
  });

  return async (name, variables) => (await engine()).renderFile(name, variables);
}
