import { z } from 'zod';
import { parse } from '../../contract/inputs/parse.ts';
import { mostStarts } from '../../domain/contention.ts';
import type { Dependencies } from '../../domain/dependencies.ts';
import type { Resource, Resources } from '../../domain/resources.ts';
import { contentionError, GatehouseError } from '../../errors.ts';
import type { ResourceServer } from '../../http/resource-server.ts';
import { say } from '../../words/said.ts';
import { texts } from './inputs.ts';
import type { HostTokens, IssuedToken } from './members.ts';
import type { AccessTokens } from './tokens.ts';

interface Parts {
  resources: Resources;
  tokens: AccessTokens;
  /** @throws {TypeError} for an unknown name */
  serverOf(name: string): ResourceServer;
}

/** Returns `gatehouse.tokens`: access tokens of the host's own program (CONTRACT §16.5). */
export function createHostTokens(
  { config, repositories: { users }, sessions: { issuing } }: Dependencies,
  { resources, tokens, serverOf }: Parts,
): HostTokens {
  /** @throws {TypeError} for an unknown name, and for a resource that asks for a sign-in, which the host has none to show of */
  function resourceOf(name: string): Resource {
    const resource = resources.find(name);
    if (!resource) throw new TypeError(`gatehouse.tokens.issue: the configuration has no resource ${name}.`);
    if (resource.acr !== undefined || resource.maxAgeSeconds !== undefined)
      throw new TypeError(
        `gatehouse.tokens.issue: the resource ${name} has acr or max_age_seconds, and the host has no sign-in to show.`,
      );
    return resource;
  }

  return {
    async issue(userId, given): Promise<IssuedToken> {
      const { resource: name, scopes: asked } = parse(
        z.strictObject({ resource: z.string(), scopes: texts().nullish() }),
        given,
      );
      const resource = resourceOf(name);
      const wanted = asked ?? resource.scopes;
      if (!wanted.every(scope => resource.scopes.includes(scope))) throw new GatehouseError('invalid_scope');
      for (let start = 0; start < mostStarts; start++) {
        const user = await users.find(userId);
        if (!user) throw new GatehouseError('not_found', { detail: say('error_no_account') });
        if (!user.isActive) throw new GatehouseError('account_disabled');
        if (user.reportedAt !== null)
          throw new GatehouseError('unauthenticated', { detail: say('error_reported') });
        if (config.requireVerification && !user.isVerified) throw new GatehouseError('email_not_verified');
        // Stored first, so that no later cutoff can miss the token.
        const marked = await issuing.mark(user);
        if (!marked) continue;
        const { token, claims, scopes } = await tokens.ofHost(resource, marked.user, wanted, marked.issuedAt);
        return { accessToken: token, expiresAt: new Date(claims.exp * 1000), scopes };
      }
      throw contentionError();
    },

    verify: (token, { resource }) =>
      serverOf(resource)
        .verify(token)
        .catch(error => {
          const isRefused =
            error instanceof GatehouseError &&
            (error.kind === 'unauthenticated' || error.code === 'mfa_enrolment_required');
          if (isRefused) return null;
          throw error;
        }),
  };
}
