import type { Config } from '../../config/schema.ts';
import { checkLanguage } from '../../words/checkup.ts';
import { localFiles, readText, shippedPath } from '../../words/local-files.ts';
import { shippedTags } from '../../words/tags.ts';
import type { Finding } from './finding.ts';

/** Checks the messages of each language that people can choose. */
export const checkLanguages = (config: Config): Finding[] =>
  config.locales.flatMap(tag => findingsOf(tag, config));

function findingsOf(tag: string, { localeDirs }: Config): Finding[] {
  const isShipped = shippedTags().includes(tag);
  const shipped = isShipped ? [shippedPath(tag)] : [];
  const findings: Finding[] = [];
  for (const path of [...shipped, ...localFiles(tag, localeDirs)]) {
    const isPartial = isShipped && path !== shipped[0];
    const { state, coverage, findings: found } = checkLanguage(tag, readText(path), { isPartial });
    const broken = found.filter(({ breaks }) => breaks);
    const part = isPartial ? `${tag}, from ${path}` : `${tag}: ${state}, ${coverage} % translated`;
    const advice = found.filter(({ rule }) => !['untranslated', 'missing_value'].includes(rule));
    findings.push(
      ...broken.map(
        ({ id, column, message }): Finding => [
          'fail',
          `${path}: ${id ?? 'file'}: column ${column}: ${message}`,
        ],
      ),
      broken.length === 0 && advice.length > 0
        ? ['warn', `${part}; \`svc locale check\` lists ${advice.length} to look at`]
        : ['ok', part],
    );
  }
  return findings;
}
