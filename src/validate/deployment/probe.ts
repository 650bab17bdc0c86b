import { setTimeout } from 'node:timers/promises';
import { type Check, CheckFailure, type Report } from '../check.ts';
import { createClient, type Interruption } from './client.ts';
import { describeFeatures, discover, type Features } from './features.ts';
import { createLetters, type Letters } from './letters.ts';
import { followLog } from './log-follow.ts';
import { logPlace, logReader } from './log-letters.ts';
import type { LogSource } from './log-source.ts';
import { mailboxPlace, mailReader } from './mail-letters.ts';
import type { Mailbox } from './mailbox.ts';
import { followMailbox } from './mailbox-follow.ts';
import { admin } from './phases/admin.ts';
import { apiKeys } from './phases/api-keys.ts';
import { browserSessions } from './phases/browser-sessions.ts';
import { deletion } from './phases/deletion.ts';
import { email } from './phases/email.ts';
import { graphql } from './phases/graphql.ts';
import { input } from './phases/input.ts';
import { lockout } from './phases/lockout.ts';
import { login } from './phases/login.ts';
import { logout } from './phases/logout.ts';
import { oauth } from './phases/oauth.ts';
import { passkeys } from './phases/passkeys.ts';
import { password } from './phases/password.ts';
import { profile } from './phases/profile.ts';
import { register } from './phases/register.ts';
import { resend } from './phases/resend.ts';
import { reset } from './phases/reset.ts';
import { sms } from './phases/sms.ts';
import { tokens } from './phases/tokens.ts';
import { totp } from './phases/totp.ts';
import { removeVisitor } from './removal.ts';
import { emailOf, newVisitor } from './visitor.ts';
import { logIn, type Phase, type Walk } from './walk.ts';
import { createWitness } from './witness.ts';

export interface ProbeOptions {
  /** The URL of the API: `https://accounts.example.org/api/auth`. */
  url: string;
  logSource: LogSource | null;
  /** Where emails arrive; without one they are read from the log. */
  mailbox: Mailbox | null;
  /** The form of the addresses that arrive in the mailbox; undefined for addresses without a mailbox. */
  addressForm: string | undefined;
  /** For the second factor, in E.164 form. */
  phone: string | null;
  /** The names of the phases to skip. */
  skip: ReadonlySet<string>;
  /** How long a response may take, in milliseconds. */
  timeoutMs: number;
  /** How long an email or a text message may take to arrive, in milliseconds. */
  letterTimeoutMs: number;
  insecure: boolean;
  /** Accept that the user cannot be deleted afterwards. */
  keepUser: boolean;
  /** Stops the walk; the user is removed nevertheless. */
  stop: AbortSignal;
  report: Report;
  /** Waits so many milliseconds. @throws {AbortError} once the signal fires */
  sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** The phases that set a factor up; the phone last, because each sign-in with it alone takes a text message. */
const factors = [passkeys, totp, sms];

/**
 * The phases after the login, in this order. Those before the factors are open to an account that must have one, too; brute
 * force comes last, because it triggers rate limits for this client.
 */
const optional = [
  input,
  logout,
  password,
  reset,
  resend,
  ...factors,
  profile,
  browserSessions,
  tokens,
  apiKeys,
  email,
  oauth,
  admin,
  graphql,
  lockout,
];

/** The names that `--skip` accepts. */
export const skippable = optional.map(({ name }) => name);

const sleepOnTimer = (ms: number, signal: AbortSignal) => setTimeout(ms, undefined, { signal });

/**
 * Walks a throwaway user through a running deployment and removes it again, whatever happens.
 * @throws {CheckFailure} when log or mailbox cannot be followed; everything else is a failed check
 */
export async function probe(options: ProbeOptions): Promise<void> {
  const { timeoutMs, insecure, report, sleep = sleepOnTimer } = options;
  const interruption: Interruption = { signal: options.stop };
  const witness = createWitness();
  const post = await followPost(options, interruption);
  const client = createClient({
    url: options.url,
    timeoutMs,
    insecure,
    interruption,
    witness: witness.see,
    onWait: (asked, seconds) =>
      say('limits', 'warn', `${asked} is rate-limited: waiting ${seconds} seconds, as Retry-After asks`),
  });
  const say = (name: string, outcome: Check['outcome'], detail: string) => report({ name, outcome, detail });
  try {
    const features = await reach(client, say);
    if (!features) return;
    const visitor = newVisitor(options.phone, options.addressForm);
    const { mails, texts } = post;
    const wait = (ms: number) => sleep(ms, interruption.signal);
    const walk: Walk = { client, features, visitor, mails, texts, refusal: null, wait, report: say };
    if (!mayStart(walk, options)) return;
    try {
      await walkThrough(walk, options);
    } catch (error) {
      say('walk', 'fail', options.stop.aborted ? 'was interrupted' : reasonOf(error));
    } finally {
      interruption.signal = new AbortController().signal;
      await leave(walk, options);
    }
    for (const check of witness.checks()) report(check);
  } finally {
    post.close();
    client.close();
  }
}

type Say = Walk['report'];

interface Post {
  mails: Letters | null;
  texts: Letters | null;
  close(): void;
}

/** Begins to read emails and text messages. @throws {CheckFailure} when they cannot be read */
async function followPost(options: ProbeOptions, interruption: Interruption): Promise<Post> {
  const { logSource, mailbox, timeoutMs, letterTimeoutMs } = options;
  const waiting = { timeoutMs: letterTimeoutMs, interruption };
  const logged = logSource && createLetters({ place: logPlace, ...waiting });
  const log = logged && (await followLog(logSource, logReader(logged), timeoutMs));
  if (!mailbox) return { mails: logged, texts: logged, close: () => log?.close() };
  try {
    const mails = createLetters({ place: mailboxPlace, ...waiting });
    const box = await followMailbox(mailbox, mails, mailReader(mails));
    const close = () => {
      log?.close();
      box.close();
    };
    return { mails, texts: logged, close };
  } catch (error) {
    log?.close();
    throw error;
  }
}

/** Reads what is switched on there; null where no account service answers. */
export async function reach(client: Walk['client'], say: Say): Promise<Features | null> {
  try {
    const features = await discover(client);
    say('reach', 'ok', `${client.url} responds; switched on: ${describeFeatures(features)}`);
    if (client.url.startsWith('http:') && !isLocal(client.url))
      say('reach', 'warn', 'passwords and tokens are sent over plain http');
    return features;
  } catch (error) {
    say('reach', 'fail', reasonOf(error));
    return null;
  }
}

/** Returns whether the user can be deleted afterwards; reported before it is created. */
function mayStart(walk: Walk, options: ProbeOptions): boolean {
  const { features, report: say } = walk;
  const { logSource, mailbox, keepUser } = options;
  if (features.registration === false) {
    say('register', 'fail', 'registration is closed there (allow_registration), and the probe needs a user');
    return false;
  }
  const reasons: string[] = [];
  if (!features.accountDeletion) {
    reasons.push(
      'account deletion is off there (enable_account_deletion), so the probe’s user could not be deleted',
    );
  }
  const obstacle = enrolmentObstacle(walk, options);
  if (obstacle !== null) reasons.push(obstacle);
  if (features.verificationRequired !== false && !logSource && !mailbox) {
    reasons.push(
      'without --log-source or --mailbox the verification email cannot be read, so a registration would remain until it expires',
    );
  }
  for (const reason of reasons) {
    say('keep-user', keepUser ? 'warn' : 'fail', keepUser ? reason : `${reason}; --keep-user accepts that`);
  }
  return keepUser || reasons.length === 0;
}

/** Returns why the visitor cannot get the factor without which its account cannot be deleted; null if it can. */
function enrolmentObstacle(walk: Walk, { skip }: ProbeOptions): string | null {
  const { mfaRequired, verificationRequired } = walk.features;
  if (!mfaRequired) return null;
  const rule = 'an account must have a second factor there before it can be deleted (mfa_required)';
  if (verificationRequired === false)
    return `${rule}, and its address must be verified for that, which registration does not do (require_verification)`;
  const absences = factors.map(phase => [
    phase.name,
    phase.absence(walk) ?? (skip.has(phase.name) ? 'is skipped' : null),
  ]);
  if (absences.some(([, absence]) => absence === null)) return null;
  return `${rule}, and the probe can set up none: ${absences.map(words => words.join(' ')).join('; ')}`;
}

async function walkThrough(walk: Walk, { skip }: ProbeOptions): Promise<void> {
  if (!(await run(register, walk)) || !(await run(login, walk))) return;
  for (const phase of optional) {
    const absence = skip.has(phase.name) ? 'as you asked' : phase.absence(walk);
    if (absence !== null) walk.report(phase.name, 'skip', absence);
    else if (!(await run(phase, walk)) && !(await hasSession(walk))) await logIn(walk);
  }
  const absence = deletion.absence(walk);
  if (absence === null) await run(deletion, walk);
}

/** Runs the phase, reports it and returns whether it succeeded. @throws {AbortError} to end an interrupted walk */
async function run(phase: Phase, walk: Walk): Promise<boolean> {
  try {
    walk.report(phase.name, 'ok', await phase.run(walk));
    return true;
  } catch (error) {
    if (error instanceof Error && error.name === 'AbortError') throw error;
    walk.report(phase.name, 'fail', reasonOf(error));
    return false;
  }
}

async function hasSession({ client, visitor }: Walk): Promise<boolean> {
  return (await client.call('GET', '/me', { token: visitor.token })).status === 200;
}

/** Removes the user if the walk has not done so itself. */
async function leave(walk: Walk, options: ProbeOptions): Promise<void> {
  const { visitor, features } = walk;
  if (visitor.state === 'none' || visitor.state === 'deleted') return;
  if (options.keepUser && (!features.accountDeletion || enrolmentObstacle(walk, options) !== null)) {
    walk.report('keep-user', 'warn', `the user ${emailOf(visitor)} was not deleted`);
    return;
  }
  try {
    walk.report('cleanup', ...(await removeVisitor(walk)));
  } catch (error) {
    walk.report('cleanup', 'fail', reasonOf(error));
  }
}

/** Returns whether an address is one of this machine. */
export const isLocal = (url: string) => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(url).hostname);

/** Returns the reason of a failure; an unexpected error means a response of an unexpected form. */
export function reasonOf(error: unknown): string {
  if (error instanceof CheckFailure) return error.message;
  return `a response could not be understood (${error instanceof Error ? error.message : error})`;
}
