import { z } from 'zod';
import type { SigningAlgorithm } from '../../config/schema/resources.ts';
import { TokenForm } from '../../contract/inputs/oauth2.ts';
import { type IntrospectionView, RevocationView } from '../../contract/views/oauth2.ts';
import { strictest, weakestOf } from '../../domain/acr.ts';
import type { Dependencies } from '../../domain/dependencies.ts';
import { assertOnce, ProtocolRefusal, parameterOf } from '../../domain/protocol.ts';
import type { Resource, Resources } from '../../domain/resources.ts';
import { GatehouseError } from '../../errors.ts';
import type { Trail } from '../../observability/watch.ts';
import { IssueAccessTokenInput, RotateSigningKeysInput } from './inputs.ts';
import type { Ring } from './ring.ts';
import { assertSignIn, demandOf, signInOf } from './step-up.ts';
import { type AccessTokens, tokenClients } from './tokens.ts';
import { AccessTokenView, SigningKeyList } from './views.ts';

interface Parts {
  resources: Resources;
  tokens: AccessTokens;
  ring: Ring;
}

/**
 * Has the audit record name the rings that were rotated. There is none where none was; one of a failure names those that were
 * asked for.
 */
export async function traceRotation(
  trail: Trail,
  asked: readonly SigningAlgorithm[] | null,
  rotate: () => Promise<SigningAlgorithm[]>,
): Promise<void> {
  const changeOf = (algorithm: SigningAlgorithm) => `signing_keys.${algorithm}`;
  if (asked) trail.changes = asked.map(changeOf);
  const rotated = await rotate();
  trail.changes = rotated.map(changeOf);
  trail.isNothing = rotated.length === 0;
}

/** Access tokens and the keys that sign them (CONTRACT §16.2 and §16.3). */
export function createAccessTokensService(
  { config, clock, define, strongSignIn: { factors } }: Dependencies,
  { resources, tokens, ring }: Parts,
) {
  const issueAccessToken = define(
    {
      name: 'issueAccessToken',
      at: 'POST /tokens',
      summary: 'Returns a token for an API that checks it by itself.',
      description:
        'It lives for minutes, names the person and the scopes, and is no session: no operation here takes it. A sign-in that is too weak or too old for the API is `recent_sign_in_required`, which names what would do.',
      access: { kind: 'person' },
      limit: 'tokens',
      input: IssueAccessTokenInput,
      output: AccessTokenView,
      audited: false,
      errors: ['invalid_target', 'invalid_scope', 'recent_sign_in_required', 'mfa_enrolment_required'],
    },
    async ({ resource: identifier, scopes, acr_values, max_age }, { person }): Promise<AccessTokenView> => {
      const resource = resources.identified(identifier);
      if (!resource?.forSessions) throw new GatehouseError('invalid_target');
      const { user, key } = person;
      const demand = demandOf(resource);
      // A key has no sign-in to show.
      if (key && (demand.acr !== null || demand.maxAge !== null)) throw new GatehouseError('invalid_target');
      const available = resource.scopes.filter(scope => key?.scopes.includes(scope) ?? true);
      const wanted = scopes ?? available;
      if (wanted.length === 0 || !wanted.every(scope => available.includes(scope)))
        throw new GatehouseError('invalid_scope');
      const signIn = key ? { acr: null, authTime: null } : signInOf(person.claims);
      const asked = { acr: weakestOf(acr_values ?? []), maxAge: max_age ?? null };
      await assertSignIn(signIn, strictest(asked, demand), user, { clock, factors });
      const issued = key
        ? tokens.ofKey(resource, user, key, wanted)
        : tokens.ofSession(resource, person, wanted);
      const { token, expiresIn, scopes: granted } = await issued;
      return { access_token: token, token_type: 'Bearer', expires_in: expiresIn, scope: granted.join(' ') };
    },
  );

  const access = { kind: 'superuser' } as const;

  async function list(): Promise<SigningKeyList> {
    const keys = await ring.keys();
    return {
      items: keys.map(key => ({
        ...{ kid: key.kid, algorithm: key.algorithm, state: key.state },
        since: key.since.toISOString(),
        until: ring.endOf(key)?.toISOString() ?? null,
      })),
    };
  }

  const signingKeys = define(
    {
      name: 'signingKeys',
      at: 'GET /admin/keys',
      summary: 'The keys that sign access tokens, and those that will and did.',
      description: 'Private parts are never shown.',
      access,
      input: z.strictObject({}),
      output: SigningKeyList,
      errors: [],
    },
    list,
  );

  const rotateSigningKeys = define(
    {
      name: 'adminRotateSigningKeys',
      at: 'POST /admin/keys/rotate',
      summary: 'Has the next key of each algorithm sign, and publishes another one.',
      description:
        'A key that has been published for less than `signing_key_lead_seconds` is `key_not_published`, because services may not know it yet.',
      access: { ...access, isAdministration: config.recentSignInForAdministration },
      input: RotateSigningKeysInput,
      output: SigningKeyList,
      errors: ['key_not_published'],
    },
    async ({ algorithm, force }, { trail }): Promise<SigningKeyList> => {
      const algorithms = algorithm ? [algorithm] : config.signingAlgorithms;
      await traceRotation(trail, algorithms, () => ring.rotate(algorithms, { force: force ?? false }));
      return list();
    },
  );

  const revokeToken = define(
    {
      name: 'revokeToken',
      at: { at: 'POST /oauth2/revoke', isForm: true, isProtocol: true, isEmpty: true },
      isRestOnly: true,
      summary: 'Ends an access token, for its holder.',
      description:
        'The answer is the same whatever the token is. `client_id` is `session`, `api_key` or `host`. An API that checks signatures alone takes the token until it expires.',
      access: { kind: 'anyone' },
      limit: 'revoke',
      input: TokenForm,
      output: RevocationView,
      errors: [],
    },
    async (form, { trail }): Promise<RevocationView> => {
      assertOnce(form);
      const client = parameterOf(form, 'client_id');
      if (!(tokenClients as readonly (string | null)[]).includes(client))
        throw new ProtocolRefusal('invalid_client');
      const token = parameterOf(form, 'token');
      if (token === null) throw new ProtocolRefusal('invalid_request');
      if (/_key_[0-9A-Za-z]{49}$/.test(token)) throw new ProtocolRefusal('unsupported_token_type');
      const ended = await tokens.revoke(token);
      trail.isNothing = ended === null;
      trail.subject = ended?.sub ?? null;
      return {};
    },
  );

  /** Returns what a token means for an API; of a restricted account (CONTRACT §9.4) it is inactive. */
  async function introspect(token: string, resource: Resource): Promise<IntrospectionView | null> {
    const valid = await tokens.check(token, resource);
    if (!valid || (await tokens.isRestricted(valid))) return null;
    const { scope, client_id, sub, aud, iss, iat, exp, jti, auth_time, acr, amr } = valid.claims;
    return {
      ...{ active: true, scope, client_id, sub, aud, iss, iat, exp, jti, token_type: 'Bearer' },
      ...{ auth_time, acr, amr },
      ...resources.claimsOf(resource, valid.user),
    };
  }

  return { issueAccessToken, signingKeys, rotateSigningKeys, revokeToken, introspect };
}
