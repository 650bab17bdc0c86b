import { createHash } from 'node:crypto';
import type { Config } from '../../config/schema.ts';
import { acrValues } from '../../domain/acr.ts';
import type { Resource } from '../../domain/resources.ts';
import type { HttpHandler, HttpRequest, HttpResponse } from '../../http/message.ts';
import { isReading } from '../../http/named-paths.ts';
import { hasPlainPath } from '../../http/plain-path.ts';
import { metadataOf, metadataPathOf } from '../../http/resource-metadata.ts';
import { problemResponse, refuseMethod } from '../../http/response.ts';
import type { Logger } from '../../logger.ts';
import type { Ring, RingKey } from './ring.ts';

const wellKnown = '/.well-known';

type Settings = Pick<Config, 'baseUrl' | 'apiPrefix' | 'issuer' | 'signingAlgorithms'>;

/** Returns the keys as a JSON Web Key Set (RFC 7517 §5), the members of each in one order. */
export const keySetOf = (keys: readonly Pick<RingKey, 'kid' | 'algorithm' | 'publicJwk'>[]) => ({
  keys: keys.map(({ publicJwk, kid, algorithm }) => ({ ...publicJwk, kid, alg: algorithm, use: 'sig' })),
});

/** Returns what verifiers ask for: RFC 8414, and the members that OpenID Connect Discovery 1.0 §3 requires. */
export function discoveryOf({ issuer, baseUrl, apiPrefix, signingAlgorithms }: Settings) {
  const endpoint = (name: string) => `${baseUrl}${apiPrefix}/oauth2/${name}`;
  return {
    issuer,
    jwks_uri: `${issuer}${wellKnown}/jwks.json`,
    introspection_endpoint: endpoint('introspect'),
    introspection_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    revocation_endpoint: endpoint('revoke'),
    revocation_endpoint_auth_methods_supported: ['none'],
    acr_values_supported: acrValues,
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: signingAlgorithms,
    response_types_supported: [],
    grant_types_supported: [],
  };
}

/** Returns the path of an issuer; empty without one. */
const pathOf = (issuer: string): string => {
  const { pathname } = new URL(issuer);
  return pathname === '/' ? '' : pathname;
};

interface Document {
  type: string;
  text(): Promise<string>;
}

/**
 * Serves the keys and the documents that say where they are (CONTRACT §16.2), whose paths a request must have as it was
 * sent, wherever the handler is mounted. They are the same bytes from every process: nothing of a request is in them.
 */
export function createDocuments(
  config: Settings,
  {
    resources,
    ring,
    logger,
  }: { resources: readonly Resource[]; ring: Pick<Ring, 'published'>; logger: Logger },
): HttpHandler {
  const path = pathOf(config.issuer);
  const fixed = (value: object): Document => {
    const text = JSON.stringify(value);
    return { type: 'application/json', text: async () => text };
  };
  const keys: Document = {
    type: 'application/jwk-set+json',
    text: async () => JSON.stringify(keySetOf(await ring.published())),
  };
  const discovery = fixed(discoveryOf(config));
  const documents = new Map<string, Document>([
    [`${path}${wellKnown}/jwks.json`, keys],
    [`${path}${wellKnown}/openid-configuration`, discovery],
    [`${wellKnown}/openid-configuration${path}`, discovery],
    [`${wellKnown}/oauth-authorization-server${path}`, discovery],
  ]);
  for (const { identifier, label, scopes } of resources) {
    const own = metadataPathOf(config.baseUrl, identifier);
    if (own !== null) documents.set(own, fixed(metadataOf(config.issuer, { identifier, label, scopes })));
  }

  return request => {
    const [sent = ''] = request.target.replace(/^https?:\/\/[^/?\\]*/i, '').split('?', 1);
    const document = documents.get(sent);
    if (!document || !hasPlainPath(request.target)) return null;
    request.route = sent;
    return respond(document, request, logger);
  };
}

/** How long others may keep a document, in seconds. */
const maxAgeSeconds = 300;

const everybody = { 'Access-Control-Allow-Origin': '*', 'X-Content-Type-Options': 'nosniff' };

async function respond(document: Document, request: HttpRequest, logger: Logger): Promise<HttpResponse> {
  if (request.method === 'OPTIONS') {
    const headers = {
      ...everybody,
      Allow: 'GET, HEAD, OPTIONS',
      'Access-Control-Allow-Methods': 'GET, HEAD',
    };
    return { status: 204, headers, body: null };
  }
  if (!isReading(request)) return refuseMethod(request, 'GET, HEAD, OPTIONS', logger);
  try {
    const text = await document.text();
    const tag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;
    const cached = { ...everybody, 'Cache-Control': `public, max-age=${maxAgeSeconds}`, ETag: tag };
    if (matches(request.headers['if-none-match'], tag)) return { status: 304, headers: cached, body: null };
    const length = String(Buffer.byteLength(text));
    const headers = { ...cached, 'Content-Type': document.type, 'Content-Length': length };
    return { status: 200, headers, body: text };
  } catch (error) {
    const problem = problemResponse(request, error, logger);
    return { ...problem, headers: { ...problem.headers, ...everybody } };
  }
}

/** RFC 9110 §13.1.2: the weak comparison. */
const matches = (given: string | undefined, tag: string): boolean =>
  given?.split(',').some(each => each.trim() === '*' || each.trim().replace(/^W\//, '') === tag) ?? false;
