import type { Config } from '../config/schema.ts';
import { readTrustedDocuments } from '../config/trusted-documents.ts';
import { ConfigError } from '../errors.ts';
import { createGraphQLDoor } from '../graphql/door.ts';
import { createBrowserCookie } from '../http/browser-cookie.ts';
import { createWellKnown, wellKnownPrefix } from '../http/well-known.ts';
import { lazily } from '../lazily.ts';
import type { Logger } from '../logger.ts';
import { providersOf } from '../oauth/settings.ts';
import { createPages } from '../pages/router.ts';
import { createOpenApi } from '../rest/openapi.ts';
import { routesOf } from '../rest/route.ts';
import { createApi } from '../rest/router.ts';
import { createSessions } from '../server-api/sessions.ts';
import { createUsers } from '../server-api/users.ts';
import { featuresOf } from '../services/features.ts';
import { operationsOf, type Services } from '../services/index.ts';
import { packageVersion } from '../version.ts';
import type { AssembleParts } from './parts.ts';

interface DoorParts extends Pick<AssembleParts, 'graphqlIde' | 'graphqlIntrospection'> {
  services: Services;
  logger: Logger;
}

/** Step four: REST, GraphQL, the pages and the server API, over the services; `mounted` is what serves HTTP, at its prefixes. */
export function openDoors(config: Config, { services, logger, ...parts }: DoorParts) {
  const operations = operationsOf(services);
  const graphqlSchema = lazily(async () => {
    const { createGraphQLSchema } = await import('../graphql/schema.ts');
    return createGraphQLSchema(operations);
  });
  const graphqlSdl = lazily(async () => {
    const { printGraphQLSchema } = await import('../graphql/print.ts');
    return printGraphQLSchema(await graphqlSchema());
  });
  const introspection = parts.graphqlIntrospection ?? config.graphqlIntrospection;
  const trusted = openTrustedDocuments(config);
  const graphql = config.enableGraphql
    ? createGraphQLDoor({
        schema: graphqlSchema,
        trusted,
        endpoint: `${config.apiPrefix}/graphql`,
        ide: parts.graphqlIde ?? config.graphqlIde,
        introspection,
        logger,
      })
    : undefined;
  /** @throws {ConfigError} with each trusted document that does not fit the schema */
  async function assertDocuments(): Promise<void> {
    const documents = config.enableGraphql ? await trusted() : null;
    if (!documents) return;
    const { documentProblems } = await import('../graphql/trusted-documents.ts');
    const found = documentProblems(await graphqlSchema(), { ...documents, introspection });
    if (found.length === 0) return;
    const source = String(config.graphqlTrustedDocuments);
    throw new ConfigError(found.map(({ hash, message }) => ({ source, key: hash, message })));
  }

  const routes = routesOf(operations);
  const url = `${config.baseUrl}${config.apiPrefix}`;
  const api = createApi({
    routes,
    openApi: () =>
      createOpenApi({
        routes,
        title: config.appName,
        url,
        version: packageVersion(),
        isEnrolmentRequired: config.mfaRequired !== 'off',
      }),
    // The specification wants an answer of the API itself (SPEC §4.1).
    absent: config.enableAccountDeletion ? [] : ['/account'],
    corsOrigins: config.corsOrigins,
    browserCookie: config.enableBrowserSessions ? createBrowserCookie(config) : null,
    logger,
    graphql,
  });
  const pages = createPages({ config, features: featuresOf(config), providers: providersOf(config), logger });
  const wellKnown = createWellKnown(config, logger);
  const mounted = [
    { prefix: config.apiPrefix, handler: api },
    { prefix: config.uiPrefix, handler: pages.ui },
    { prefix: config.staticPrefix, handler: pages.staticFiles },
    { prefix: wellKnownPrefix, handler: wellKnown },
  ];
  const serverApi = { users: createUsers(services.host), sessions: createSessions(services.host) };
  return { graphqlSchema, graphqlSdl, assertDocuments, api, pages, wellKnown, mounted, serverApi };
}

type DocumentsConfig = Pick<Config, 'graphqlTrustedDocuments' | 'enableUiRouter' | 'userFields' | 'roles'>;

/** Returns what reads the documents that alone are executed, once; it returns null where all are. */
function openTrustedDocuments(config: DocumentsConfig) {
  const path = config.graphqlTrustedDocuments;
  return lazily(async () => {
    if (path === undefined) return null;
    return { manifest: readTrustedDocuments(path), own: await ownDocuments(config) };
  });
}

/** The bundled pages ask GraphQL only in the console. */
async function ownDocuments(config: DocumentsConfig): Promise<ReadonlySet<string>> {
  if (!config.enableUiRouter) return new Set();
  const { consoleDocuments } = await import('../pages/console-documents.ts');
  return consoleDocuments(config);
}
