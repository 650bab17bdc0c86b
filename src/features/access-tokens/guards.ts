import type { Clock } from '../../clock.ts';
import type { ToNodeUser } from '../../contract/views/account.ts';
import type { Factors } from '../../domain/factors.ts';
import type { Resource } from '../../domain/resources.ts';
import { GatehouseError } from '../../errors.ts';
import { FetchRequest } from '../../http/fetch.ts';
import type { HostRequests } from '../../http/host-requests.ts';
import type { HttpRequest } from '../../http/message.ts';
import { NodeRequest } from '../../http/node.ts';
import { metadataOf, metadataUrlOf } from '../../http/resource-metadata.ts';
import type { ResourceServer } from '../../http/resource-server.ts';
import { problemResponse } from '../../http/response.ts';
import { createTokenGuards } from '../../http/token-guard.ts';
import type { Logger } from '../../logger.ts';
import { assertSignIn } from './step-up.ts';
import type { AccessTokens } from './tokens.ts';

interface Parts extends HostRequests {
  issuer: string;
  clock: Clock;
  factors: Factors;
  tokens: AccessTokens;
  toNodeUser: ToNodeUser;
  logger: Logger;
}

/** Returns the guards of an API (CONTRACT §16.5): signature from memory, then one statement. */
export function createResourceServer(resource: Resource, parts: Parts): ResourceServer {
  const { issuer, clock, factors, tokens, toNodeUser, clientOf, isTrusted, languages, logger } = parts;
  const logRefusal = (fields: { code: string; fault?: string }) =>
    logger.debug({ resource: resource.name, ...fields }, 'access token refused');
  return createTokenGuards({
    name: resource.name,
    scopes: resource.scopes,
    metadata: metadataOf(issuer, resource),
    metadataUrl: metadataUrlOf(resource.identifier),

    async check(token) {
      const valid = await tokens.check(token, resource);
      if (!valid) logRefusal({ code: 'unauthenticated', fault: tokens.faultOf(token, resource) });
      return tokens.admit(valid);
    },

    authOf: (token, { claims, user }) => ({
      ...{ user: toNodeUser(user), userId: user.id, claims, token, clientId: claims.client_id },
      ...{ scopes: claims.scope.split(' '), expiresAt: new Date(claims.exp * 1000), resource: resource.name },
    }),

    assertSignIn: (signIn, demand, { user }) => assertSignIn(signIn, demand, user, { clock, factors }),
    refusal: code => new GatehouseError(code),
    refusalOf: error => (error instanceof GatehouseError ? error : null),
    problemOf(request: HttpRequest, error) {
      if (error instanceof GatehouseError && error.code !== 'unauthenticated')
        logRefusal({ code: error.code });
      return problemResponse(request, error, logger);
    },
    onNode: (req): HttpRequest => new NodeRequest(req, clientOf, languages),
    onFetch: (request): HttpRequest => new FetchRequest(request, {}, { isTrusted, languages }),
  });
}
