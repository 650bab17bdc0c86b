import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../config/schema.ts';
import { createMessages } from '../../mail/messages.ts';
import { sampleMails } from '../../mail/samples.ts';
import { createMailTemplates } from '../../mail/templates.ts';
import { samplePages } from '../../pages/samples.ts';
import { featuresOf } from '../../services/features.ts';
import { bundledTemplates, readTemplateDirs, templateProblems } from '../../templates.ts';
import { createLanguages } from '../../words/languages.ts';
import type { Finding } from './finding.ts';

/**
 * Checks whether every email and every page can be rendered, and whether the host application's own templates are found.
 */
export async function checkTemplates(config: Config): Promise<Finding[]> {
  const { found, problems } = readTemplateDirs(config.extraTemplateDirs);
  const languages = createLanguages(config);
  const templates = createMailTemplates(config);
  const mails = languages.offered.flatMap(tag =>
    sampleMails(createMessages({ templates, config, words: languages.of(tag) })).map(({ write }) => write),
  );
  const renderings = [...mails, ...samplePages(config, featuresOf(config))];
  problems.push(...(await templateProblems(renderings)));
  if (problems.length > 0) {
    return problems.map(({ source, key, message }) => ['fail', `${source}: ${key}: ${message}`]);
  }
  const own = found.flatMap(({ dir, names }) => names.map(name => ({ name, path: join(dir, name) })));
  const count = own.length === 0 ? 'the bundled ones' : `${own.length} of your own`;
  return [
    ['ok', `every email and page can be rendered, with ${count}`],
    ...found.filter(({ names }) => names.length === 0).map(({ dir }) => noTemplates(dir)),
    ...unused(own),
  ];
}

const noTemplates = (dir: string): Finding => [
  'warn',
  `extra_template_dirs: ${dir} contains no template: they belong in its folders mail and pages`,
];

/** Returns the templates that neither replace a bundled one nor are named in another: most likely a mistyped name. */
function unused(own: { name: string; path: string }[]): Finding[] {
  const bundled = new Set(bundledTemplates());
  const sources = own.map(({ name, path }) => ({ name, source: readFileSync(path, 'utf8') }));
  return own
    .filter(({ name }) => !bundled.has(name))
    .filter(({ name }) => !sources.some(other => other.name !== name && other.source.includes(name)))
    .map(({ path }) => ['warn', `${path} is not used: there is no bundled template of this name`]);
}
