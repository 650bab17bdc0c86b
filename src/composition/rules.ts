import type { Config } from '../config/schema.ts';
import { createUserViews } from '../contract/views/account.ts';
import { type Authentication, createAuthentication } from '../domain/authentication.ts';
import { createAuthenticators } from '../domain/authenticators.ts';
import { createConsecutiveFailures } from '../domain/consecutive-failures.ts';
import { createDeferred, type Deferred } from '../domain/deferred.ts';
import type { Dependencies } from '../domain/dependencies.ts';
import { createFactors } from '../domain/factors.ts';
import { createHeldMails } from '../domain/held-mails.ts';
import { createHooks } from '../domain/hooks.ts';
import { createIssuing } from '../domain/issuing.ts';
import { LifeCycle } from '../domain/life-cycle.ts';
import { createNewPasswords } from '../domain/new-passwords.ts';
import { createNotices } from '../domain/notices.ts';
import { createDefine } from '../domain/operation.ts';
import { createPasswordLinks } from '../domain/password-links.ts';
import { createReauthentication } from '../domain/reauthentication.ts';
import { createRecoveryCodes } from '../domain/recovery-codes.ts';
import { createRemoval } from '../domain/removal.ts';
import { createSecondFactor } from '../domain/second-factor.ts';
import { createSessionList } from '../domain/session-list.ts';
import { createSessionRules, type SessionRules } from '../domain/session-rules.ts';
import { createStepFailures } from '../domain/step-failures.ts';
import { createSuperusers } from '../domain/superusers.ts';
import { createVerification } from '../domain/verification.ts';
import { createLargeCounts } from '../limits/large-count.ts';
import { createLockout } from '../limits/lockout.ts';
import { createLocks } from '../limits/locks.ts';
import { createMailCap } from '../limits/mail-cap.ts';
import { createSlidingCounts } from '../limits/sliding-count.ts';
import { createSmsCap } from '../limits/sms-cap.ts';
import type { Foundation } from './foundation.ts';
import type { AssembleParts } from './parts.ts';

export interface Rules {
  authentication: Authentication;
  sessionRules: SessionRules;
  deferred: Deferred;
  dependencies: Dependencies;
}

/** Step two: the rules that services share, over the foundation. */
export function createRules(config: Config, foundation: Foundation, parts: AssembleParts): Rules {
  const { clock, logger, events, background, tokens, hasher, outbox, watch } = foundation;
  const { repositories } = foundation.storage;
  const views = createUserViews(config);
  const hooks = createHooks({ hooks: parts.hooks, logger, schedule: parts.schedule, views });

  const sessionList = config.enableSessionList
    ? createSessionList({ config, clock, background, repositories })
    : undefined;
  const authentication = createAuthentication({ tokens, repositories, sessionList });
  const sliding = createSlidingCounts(repositories, clock);
  const lifeCycle = new LifeCycle();
  const lockout = createLockout(sliding, config, lifeCycle, foundation.refusals);
  const mailCap = createMailCap(sliding, config, createHeldMails(watch));
  const smsCap = createSmsCap(sliding, createLargeCounts(repositories, clock), config);
  const deferred = createDeferred({ background, store: foundation.store, logger });
  const notices = createNotices({ clock, outbox, mailCap, deferred, lifeCycle });
  const issuing = createIssuing({ config, clock, repositories, tokens, sessionList, lifeCycle });
  const consecutiveFailures = createConsecutiveFailures({ config, repositories, notices, events, views });
  const stepFailures = createStepFailures({ config, repositories, notices, events, views });
  const locks = createLocks(repositories, clock, lockout);
  const limits = { lockout, locks, consecutiveFailures, stepFailures, mailCap, smsCap };
  const factors = createFactors({ config, repositories });
  const sessionRules = createSessionRules({ config, clock, factors });
  const recoveryCodes = createRecoveryCodes({ clock, hasher, repositories });
  const authenticators = createAuthenticators({
    clock,
    background,
    repositories,
    notices,
    events,
    factors,
    recoveryCodes,
    issuing,
    sessionList,
    views,
  });
  const secondFactor = createSecondFactor({
    clock,
    repositories,
    notices,
    events,
    factors,
    authenticators,
    views,
  });
  const superusers = createSuperusers(repositories);

  /** Waits for what an operation has begun. Sending may begin while work ends, and not the other way round. */
  async function settle(): Promise<void> {
    await background.settled();
    await Promise.all([foundation.mails.settled(), foundation.texts.settled()]);
  }

  const dependencies: Dependencies = {
    config,
    clock,
    repositories,
    views,
    events,
    hooks,
    lifeCycle,
    limits,
    define: createDefine(authentication, sessionRules, foundation.rateLimits.limits, watch, {
      lifeCycle,
      bounded: foundation.storage.bounded,
      settle: parts.settles ? settle : undefined,
    }),
    mails: {
      outbox,
      notices,
      verification: createVerification({
        config,
        clock,
        repositories,
        outbox,
        events,
        mailCap,
        deferred,
        views,
      }),
      passwordLinks: createPasswordLinks({ config, issuing, mailCap, outbox, events, views }),
    },
    passwords: createNewPasswords({ clock, hasher, policy: foundation.passwordPolicy }),
    reauthentication: createReauthentication({
      ...{ config, hasher, lockout, consecutiveFailures, sessionRules, factors },
    }),
    removal: createRemoval({
      ...limits,
      ...{ repositories, superusers, notices, events, hooks, views },
    }),
    sessions: { authentication, tokens, issuing, rules: sessionRules, sessionList },
    strongSignIn: { factors, authenticators, recoveryCodes, secondFactor },
  };
  return { authentication, sessionRules, deferred, dependencies };
}
