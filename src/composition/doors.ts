import { isLoopbackHost } from '../config/loopback.ts';
import type { Config } from '../config/schema.ts';
import type { Operation } from '../domain/operation.ts';
import type { OnlyDocuments } from '../graphql/document-filter.ts';
import { createGraphQLDoor, type ExtendSchema } from '../graphql/door.ts';
import type { Answers } from '../http/feature-answers.ts';
import type { HttpHandler } from '../http/message.ts';
import { createWellKnown, issuerPrefixOf, type WellKnownPaths, wellKnownPrefix } from '../http/well-known.ts';
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
import type { Services } from '../services/index.ts';
import { packageVersion } from '../version.ts';
import type { Languages } from '../words/languages.ts';
import type { AssembleParts } from './parts.ts';

interface DoorParts extends Pick<AssembleParts, 'graphqlIde' | 'graphqlIntrospection' | 'developmentInbox'> {
  languages: Languages;
  services: Pick<Services, 'host'>;
  operations: readonly Operation[];
  /** Returns the header by which a browser keeps a session, or forgets it. */
  setCookie: ((token: string | null) => string) | undefined;
  /** Whether people can have API keys. */
  hasKeys: boolean;
  /** Handlers of paths that belong to no operation. */
  answers: Answers;
  /** The paths of features below `/.well-known`. */
  wellKnownPaths: readonly WellKnownPaths[];
  /** Serves the documents below `issuer`. */
  issuerDocuments: readonly HttpHandler[];
  /** The GraphQL documents that alone are executed; absent for any. */
  only: OnlyDocuments | undefined;
  /** The additions to the schema that GraphQL serves. */
  schemaExtensions: readonly ExtendSchema[];
  logger: Logger;
}

/** The last step: REST, GraphQL, the pages and the server API, over the services; `mounted` is what serves HTTP, at its prefixes. */
export function openDoors(
  config: Config,
  {
    services,
    languages,
    operations,
    setCookie,
    hasKeys,
    answers,
    wellKnownPaths,
    issuerDocuments,
    only,
    ...parts
  }: DoorParts,
) {
  const { schemaExtensions: extensions, logger } = parts;
  const graphqlSchema = lazily(async () => {
    const { createGraphQLSchema } = await import('../graphql/schema.ts');
    return createGraphQLSchema(operations);
  });
  const graphqlSdl = lazily(async () => {
    const { printGraphQLSchema } = await import('../graphql/print.ts');
    return printGraphQLSchema(await graphqlSchema());
  });
  const introspection = parts.graphqlIntrospection ?? config.graphqlIntrospection;
  const graphql = config.enableGraphql
    ? createGraphQLDoor({
        schema: graphqlSchema,
        ...{ only, extensions },
        endpoint: `${config.apiPrefix}/graphql`,
        ide: parts.graphqlIde ?? config.graphqlIde,
        introspection,
        logger,
      })
    : undefined;
  /** @throws {ConfigError} with each document of those that alone are executed that does not fit the schema */
  async function assertDocuments(): Promise<void> {
    if (graphql) await only?.assertFit(await graphqlSchema(), { introspection });
  }

  const routes = routesOf(operations);
  const url = `${config.baseUrl}${config.apiPrefix}`;
  const api = createApi({
    routes,
    openApi: () =>
      createOpenApi({
        ...{ routes, answers },
        title: config.appName,
        url,
        version: packageVersion(),
        facts: { isEnrolmentRequired: config.mfaRequired !== 'off', hasKeys },
      }),
    // The specification wants an answer of the API itself (SPEC §4.1).
    absent: config.enableAccountDeletion ? [] : ['/account'],
    developedAt: isLoopbackHost(new URL(config.baseUrl).hostname) ? new URL(config.baseUrl).origin : null,
    corsOrigins: config.corsOrigins,
    setCookie,
    answers,
    logger,
    graphql,
  });
  const pages = createPages({
    developmentInbox: parts.developmentInbox,
    ...{ config, languages, logger },
    features: featuresOf(config),
    providers: providersOf(config),
  });
  const wellKnown = createWellKnown(config, wellKnownPaths, issuerDocuments, logger);
  const mounted = [
    { prefix: config.apiPrefix, handler: api },
    { prefix: config.uiPrefix, handler: pages.ui },
    { prefix: config.staticPrefix, handler: pages.staticFiles },
    { prefix: wellKnownPrefix, handler: wellKnown },
  ];
  const ofIssuer = issuerPrefixOf(config.issuer);
  // First, because the path of an issuer may lie below that of the API.
  if (ofIssuer !== null && issuerDocuments.length > 0)
    mounted.unshift({ prefix: ofIssuer, handler: wellKnown });
  const serverApi = { users: createUsers(services.host), sessions: createSessions(services.host) };
  return { graphqlSchema, graphqlSdl, assertDocuments, api, pages, wellKnown, mounted, serverApi };
}
