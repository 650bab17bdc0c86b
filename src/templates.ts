import { fileURLToPath } from 'node:url';
import { Liquid } from 'liquidjs';

/** The same from src in development and from dist in the package. */
const bundledViews = fileURLToPath(new URL('../views', import.meta.url));

export type TemplateEngine = Liquid;

export interface TemplateOptions {
  extraTemplateDirs: string[];
  /** `markup` escapes every value, `plain` lets it stand as it is. */
  form: 'markup' | 'plain';
}

/**
 * Templates by their name relative to `views`, the host's before ours, each file by itself. Files are read once, and
 * only from below these directories; a template runs no code.
 */
export function createTemplates({ extraTemplateDirs, form }: TemplateOptions): TemplateEngine {
  return new Liquid({
    root: [...extraTemplateDirs, bundledViews],
    cache: true,
    ownPropertyOnly: true,
    ...(form === 'markup' && { outputEscape: 'escape' }),
  });
}
