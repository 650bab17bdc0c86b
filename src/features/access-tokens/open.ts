import type { FeatureParts, OpenFeature } from '../../composition/open-feature.ts';
import type { SigningAlgorithm } from '../../config/schema/resources.ts';
import { operatorCaller } from '../../domain/caller.ts';
import { createResources } from '../../domain/resources.ts';
import { createDocuments } from './documents.ts';
import { createResourceServer } from './guards.ts';
import { createHostTokens } from './host-tokens.ts';
import { createInspect } from './inspect.ts';
import type { AccessTokenMembers } from './members.ts';
import { createAccessTokensService, traceRotation } from './operations.ts';
import { createRing } from './ring.ts';
import { createSessionTokens } from './session-tokens.ts';
import { createAccessTokens } from './tokens.ts';

export { check } from './check.ts';

/** Opens the keys, the documents and the operations of access tokens. */
export function open(parts: FeatureParts) {
  const { config, repositories, encryption, logger, meter, sessions, strongSignIn, views } = parts;
  // The configuration is refused without the key.
  const ring = createRing({
    ...parts,
    ...{ rows: repositories.signing_keys, encryption: encryption! },
    onAged: () => parts.background.run('rotateSigningKeys', undefined, () => rotateAged({})),
  });
  const rotateAged = parts.defineAct(
    'rotateSigningKeys',
    (_: object, trail) => traceRotation(trail, null, ring.rotateAged),
    'system',
  );
  const resources = createResources(config, views);
  const tokens = createAccessTokens({
    ...parts,
    ...{ ring, resources, factors: strongSignIn.factors, sessionList: sessions.sessionList },
  });
  const { issueAccessToken, signingKeys, rotateSigningKeys, revokeToken, introspect } =
    createAccessTokensService(parts, {
      ...{ resources, tokens, ring },
    });
  meter?.total(
    'gatehouse_access_tokens_issued_total',
    'Access tokens that were issued.',
    'source',
    () => tokens.issued,
  );
  meter?.now(
    'gatehouse_signing_key_age_seconds',
    'Age of the oldest signing key of each algorithm in each state.',
    ['algorithm', 'state'],
    ring.ages,
  );
  return {
    operations: {
      issueAccessToken,
      revokeToken,
      administration: config.enableAdminRouter ? { signingKeys, rotateSigningKeys } : undefined,
    },
    introspect,
    inspect: createInspect({ resources, tokens, ring }),
    accessTokens: createSessionTokens({ ...parts, resources, tokens, factors: strongSignIn.factors }),
    members(host): AccessTokenMembers {
      const { clock } = parts;
      const { factors } = strongSignIn;
      const { toNodeUser } = views;
      const serverOf = (name: string) => {
        const resource = resources.find(name);
        if (!resource) throw new TypeError(`gatehouse.resource: the configuration has no resource ${name}.`);
        return createResourceServer(resource, {
          ...{ issuer: config.issuer, clock, factors, tokens, toNodeUser, logger, ...host },
        });
      };
      return { resource: serverOf, tokens: createHostTokens(parts, { resources, tokens, serverOf }) };
    },
    verifierOf(name) {
      const resource = resources.find(name)!;
      return async token => {
        const { user, claims } = await tokens.admit(await tokens.check(token, resource));
        return { user: views.toNodeUser(user), scopes: claims.scope.split(' '), claims };
      };
    },
    prepare: ring.open,
    upkeep: () => rotateAged({}),
    issuerDocuments: createDocuments(config, { resources: resources.all, ring, logger }),
    operator: {
      list: async () => {
        const isUpToDate = new Map((await ring.keys()).map(key => [key.kid, key.isUpToDate]));
        const { items } = await signingKeys(operatorCaller, {});
        return items.map(item => ({ ...item, is_up_to_date: isUpToDate.get(item.kid) ?? true }));
      },
      rotate: parts.defineAct(
        'rotateSigningKeys',
        async ({ algorithm, force = false }: { algorithm?: SigningAlgorithm; force?: boolean }, trail) => {
          const algorithms = algorithm ? [algorithm] : config.signingAlgorithms;
          await traceRotation(trail, algorithms, () => ring.rotate(algorithms, { force }));
          return ring.keys();
        },
      ),
      remove: parts.defineAct('removeSigningKey', async (kid: string, trail) => {
        trail.changes = [`signing_keys.${kid}`];
        const state = await ring.remove(kid);
        // The command says so itself: the record must not say that a key was removed.
        if (state === null) trail.refusal = 'not_found';
        return state;
      }),
      reset: () => parts.defineAct('resetSigningKeys', async (_: object) => ring.reset())({}),
    },
  } satisfies OpenFeature;
}
