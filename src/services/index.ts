import type { Background } from '../domain/background.ts';
import type { Deferred } from '../domain/deferred.ts';
import type { Dependencies } from '../domain/dependencies.ts';
import { createExternalIdentities } from '../domain/external-identities.ts';
import type { FactorProof } from '../domain/factor-proof.ts';
import type { HourCounts } from '../domain/hour-counts.ts';
import type { Operation } from '../domain/operation.ts';
import type { SigningIn } from '../domain/signing.ts';
import type { RateLimits } from '../limits/rate-limit.ts';
import type { Logger } from '../logger.ts';
import type { Provider } from '../oauth/provider.ts';
import type { Meter } from '../observability/metrics.ts';
import type { JobStore } from '../outgoing/job-store.ts';
import { createAccount } from './account.ts';
import { createAdmin } from './admin.ts';
import { createAuthenticatorsService } from './authenticators.ts';
import { createEmailChange } from './email-change.ts';
import { createFeatures } from './features.ts';
import { createHost } from './host.ts';
import { createIntrospection, type Introspect } from './introspection.ts';
import { createInvitations } from './invitations.ts';
import { createLogin } from './login.ts';
import { createOAuth } from './oauth.ts';
import { createOutboxService } from './outbox.ts';
import { createOverview } from './overview.ts';
import { createPassword, createPasswordReset } from './password.ts';
import { createPhone } from './phone.ts';
import { createProfile } from './profile.ts';
import { createReauthenticate } from './reauthenticate.ts';
import { createRegistration } from './registration.ts';
import { createSecondStepService } from './second-step.ts';
import { createSession } from './session.ts';
import { createSessionsService } from './sessions.ts';

/** The parts that only some services need, each where its flag is on. */
interface ServiceParts {
  signing: SigningIn;
  /** How the factors of features are proved. */
  proofs: readonly FactorProof[];
  providers: Provider[];
  /** Where deliveries are stored; absent while they wait in memory. */
  store: JobStore | undefined;
  background: Background;
  deferred: Deferred;
  logger: Logger;
  /** Absent while there is no administration. */
  hourCounts: HourCounts | undefined;
  /** Returns how many targets of deliveries are switched off, by those features that deliver. */
  switchedOff: readonly (() => Promise<number>)[];
  /** How features know the tokens and keys that APIs ask about; there are none while they are off. */
  introspects: readonly Introspect[];
  rateLimits: { limits: RateLimits };
  /** Absent while metrics are off. */
  meter: Meter | undefined;
}

export type Services = ReturnType<typeof createServices>;

/**
 * Returns the operations that the doors offer, in the order of their services, and then those of features. The server API has
 * those of the host.
 */
export function operationsOf(
  { host: _, ...services }: Services,
  features: readonly { operations?: object }[],
): Operation[] {
  const operations = new Set<Operation>();
  for (const service of Object.values(services)) collect(service, operations);
  for (const feature of features) collect(feature.operations, operations);
  return [...operations].filter(({ spec }) => spec.at !== undefined);
}

/** Adds the operations among the members of a service, and of what it groups. */
function collect(service: object | undefined, operations: Set<Operation>): void {
  for (const member of Object.values(service ?? {})) {
    if (isOperation(member)) operations.add(member);
    else if (typeof member === 'object' && member !== null) collect(member, operations);
  }
}

const isOperation = (member: unknown): member is Operation =>
  typeof member === 'function' && 'spec' in member;

/**
 * Returns every service that the configuration enables. A disabled service does not exist, so no interface can expose it.
 */
export function createServices(parts: Dependencies, more: ServiceParts) {
  const { config } = parts;
  const { sessionList } = parts.sessions;
  const { providers, background, deferred, store, logger, signing, proofs, hourCounts, switchedOff } = more;
  const { signIn, texted } = signing;
  const { hasAuthenticators } = parts.strongSignIn.factors;
  const phone = texted && createPhone(parts, texted, background);
  const identities = providers.length > 0 ? createExternalIdentities(parts, providers) : undefined;
  return {
    features: createFeatures(parts),
    registration: createRegistration(parts, deferred),
    login: createLogin(parts, signIn, background),
    session: createSession(parts),
    profile: createProfile(parts),
    password: createPassword(parts),
    passwordReset: config.enablePasswordReset ? createPasswordReset(parts, deferred) : undefined,
    invitations: createInvitations(parts),
    emailChange: createEmailChange(parts),
    account: config.enableAccountDeletion ? createAccount(parts) : undefined,
    secondStep: texted || hasAuthenticators ? createSecondStepService(parts, { signing, proofs }) : undefined,
    authenticators: hasAuthenticators ? createAuthenticatorsService(parts) : undefined,
    reauthenticate: createReauthenticate(parts, signIn, proofs),
    sessions: sessionList && createSessionsService(parts, sessionList),
    phone,
    oauth: identities && createOAuth(parts, { providers, identities, signIn, logger, background }),
    admin: config.enableAdminRouter ? createAdmin(parts, identities) : undefined,
    overview: hourCounts && createOverview(parts, { hourCounts, switchedOff }),
    outbox: config.enableAdminRouter && store ? createOutboxService(parts, store) : undefined,
    introspection:
      more.introspects.length > 0
        ? createIntrospection(parts, { ...more, limits: more.rateLimits.limits })
        : undefined,
    host: createHost(parts, signIn),
  };
}
