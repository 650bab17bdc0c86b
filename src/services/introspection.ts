import { createHash, timingSafeEqual } from 'node:crypto';
import { TokenForm } from '../contract/inputs/oauth2.ts';
import { IntrospectionView } from '../contract/views/oauth2.ts';
import type { Dependencies } from '../domain/dependencies.ts';
import { assertOnce, credentialsOf, ProtocolRefusal, parameterOf } from '../domain/protocol.ts';
import { createResources, type Resource } from '../domain/resources.ts';
import type { RateLimits } from '../limits/rate-limit.ts';
import type { Meter } from '../observability/metrics.ts';

/** Returns what a token means for a resource, or null where it is none that counts. */
export type Introspect = (token: string, resource: Resource) => Promise<IntrospectionView | null>;

interface IntrospectionParts {
  introspects: readonly Introspect[];
  limits: RateLimits;
  /** Absent while metrics are off. */
  meter: Meter | undefined;
}

/** Tells the APIs of `[resources]` what the tokens and keys mean that they are sent (RFC 7662, CONTRACT §16.4). */
export function createIntrospection(
  { config, define, views }: Dependencies,
  { introspects, limits, meter }: IntrospectionParts,
) {
  /** The answers by whether the token was active. */
  const answers = { true: 0, false: 0 };
  meter?.total(
    'gatehouse_introspections_total',
    'Tokens and keys that APIs asked about, by whether they were active.',
    'active',
    () => answers,
  );
  const resources = createResources(config, views);

  const introspectToken = define(
    {
      name: 'introspectToken',
      at: { at: 'POST /oauth2/introspect', isForm: true, isProtocol: true, isForResources: true },
      isRestOnly: true,
      summary: 'Tells an API what a token means now.',
      description:
        'The API names itself with its name and secret, in `Authorization: Basic` or in the form. Of a token that is not for it, that is malformed, that was ended or has expired it learns no more than `active: false`.',
      access: { kind: 'anyone' },
      input: TokenForm,
      output: IntrospectionView,
      audited: 'refusals',
      errors: [],
    },
    async (form, { caller }): Promise<IntrospectionView> => {
      assertOnce(form);
      const token = parameterOf(form, 'token');
      const resource = await authenticated(() => {
        const { name, secret } = credentialsOf(caller.authorization, form);
        const found = resources.find(name);
        return isSecretOf(found, secret) ? found : null;
      }, caller.ip);
      if (token === null) throw new ProtocolRefusal('invalid_request');
      for (const introspect of introspects) {
        const found = await introspect(token, resource);
        if (!found) continue;
        answers.true++;
        return found;
      }
      answers.false++;
      return { active: false };
    },
  );

  /** Counts refused credentials alone. @throws {GatehouseError} rate_limited, or the refusal */
  async function authenticated(find: () => Resource | null, ip: string | null): Promise<Resource> {
    try {
      const resource = find();
      if (resource) return resource;
      throw new ProtocolRefusal('invalid_client');
    } catch (error) {
      if (error instanceof ProtocolRefusal && error.error === 'invalid_client')
        await limits.consume('introspect', ip);
      throw error;
    }
  }

  return { introspectToken };
}

const digestOf = (text: string) => createHash('sha256').update(text).digest();

/** Compares in constant time, with every secret. A resource without a present secret has none. */
function isSecretOf(resource: Resource | null, given: string): boolean {
  const present = resource?.secret?.reveal();
  const previous = present === undefined ? undefined : resource?.secretPrevious?.reveal();
  const digest = digestOf(given);
  const matches = [present, previous].map(
    secret => timingSafeEqual(digestOf(secret ?? ''), digest) && secret !== undefined,
  );
  return matches.includes(true);
}
