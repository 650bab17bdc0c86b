import type { FeatureParts, OpenFeature } from '../../composition/open-feature.ts';
import type { Config } from '../../config/schema.ts';
import { ConfigError } from '../../errors.ts';
import { lazily } from '../../lazily.ts';
import { readTrustedDocuments } from './manifest.ts';

export { checkSettings } from './check.ts';

/** Opens what lets only the documents of the manifest pass, and those of the bundled pages. */
export function open({ config }: FeatureParts) {
  const source = String(config.graphqlTrustedDocuments);
  const manifest = lazily(async () => readTrustedDocuments(source));
  return {
    documents: {
      async filter({ introspection }) {
        const { createTrustedDocuments } = await import('./documents.ts');
        const own = await ownDocuments(config);
        return createTrustedDocuments({ manifest: await manifest(), own, introspection });
      },
      async assertFit(schema, { introspection }) {
        const { documentProblems } = await import('./documents.ts');
        const found = documentProblems(schema, { manifest: await manifest(), introspection });
        if (found.length === 0) return;
        throw new ConfigError(found.map(({ hash, message }) => ({ source, key: hash, message })));
      },
    },
  } satisfies OpenFeature;
}

/** The bundled pages ask GraphQL only in the console. */
async function ownDocuments(
  config: Pick<Config, 'enableUiRouter' | 'userFields' | 'roles'>,
): Promise<ReadonlySet<string>> {
  if (!config.enableUiRouter) return new Set();
  const { consoleDocuments } = await import('./console.ts');
  return consoleDocuments(config);
}
