import { type Check, CheckFailure, type Report } from '../check.ts';
import { createClient, type Interruption } from './client.ts';
import { describeFeatures, discover, type Features } from './features.ts';
import { createLetters } from './letters.ts';
import { followLog } from './log-follow.ts';
import type { LogSource } from './log-source.ts';
import { admin } from './phases/admin.ts';
import { deletion } from './phases/deletion.ts';
import { email } from './phases/email.ts';
import { graphql } from './phases/graphql.ts';
import { input } from './phases/input.ts';
import { lockout } from './phases/lockout.ts';
import { login } from './phases/login.ts';
import { logout } from './phases/logout.ts';
import { oauth } from './phases/oauth.ts';
import { password } from './phases/password.ts';
import { profile } from './phases/profile.ts';
import { register } from './phases/register.ts';
import { resend } from './phases/resend.ts';
import { reset } from './phases/reset.ts';
import { sms } from './phases/sms.ts';
import { removeVisitor } from './removal.ts';
import { emailOf, newVisitor } from './visitor.ts';
import { logIn, type Phase, type Walk } from './walk.ts';
import { createWitness } from './witness.ts';

export interface ProbeOptions {
  /** Where the API is: `https://accounts.example.org/api/auth`. */
  url: string;
  logSource: LogSource | null;
  /** For the second factor, as E.164. */
  phone: string | null;
  /** Phases to leave out, by their names. */
  skip: ReadonlySet<string>;
  /** How long an answer may take, in milliseconds. */
  timeoutMs: number;
  /** How long a mail or a text message may take to be in the log, in milliseconds. */
  letterTimeoutMs: number;
  insecure: boolean;
  /** Accept that the user can't be deleted again. */
  keepUser: boolean;
  /** Stops the walk; the user is taken away all the same. */
  stop: AbortSignal;
  report: Report;
}

/** What follows a login, in this order; guessing comes last, because it brings limits down on this client. */
const optional = [
  input,
  profile,
  logout,
  password,
  reset,
  resend,
  email,
  sms,
  oauth,
  admin,
  graphql,
  lockout,
];

/** What `--skip` may name. */
export const skippable = optional.map(({ name }) => name);

/**
 * Walks a throwaway user through a running deployment and takes it away again, whatever happens.
 * @throws {CheckFailure} when the log cannot be followed; everything else is a check that failed
 */
export async function probe(options: ProbeOptions): Promise<void> {
  const { timeoutMs, insecure, report } = options;
  const interruption: Interruption = { signal: options.stop };
  const witness = createWitness();
  const letters = options.logSource && createLetters(options.letterTimeoutMs, interruption);
  const following = letters && (await followLog(options.logSource!, letters.sink, timeoutMs));
  const client = createClient({
    url: options.url,
    ...{ timeoutMs, insecure, interruption },
    witness: witness.see,
    onWait: (asked, seconds) =>
      say('limits', 'warn', `${asked} is limited: waiting ${seconds} seconds, as it asks`),
  });
  const say = (name: string, outcome: Check['outcome'], detail: string) => report({ name, outcome, detail });
  try {
    const features = await reach(client, say);
    if (!features || !mayStart(features, options, say)) return;
    const walk: Walk = { client, features, letters, visitor: newVisitor(options.phone), report: say };
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
    following?.close();
    client.close();
  }
}

type Say = Walk['report'];

async function reach(client: Walk['client'], say: Say): Promise<Features | null> {
  try {
    const features = await discover(client);
    say('reach', 'ok', `${client.url} answers; on: ${describeFeatures(features)}`);
    const { protocol, hostname } = new URL(client.url);
    const isLocal = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
    if (protocol === 'http:' && !isLocal)
      say('reach', 'warn', 'passwords and tokens go there over plain http');
    return features;
  } catch (error) {
    say('reach', 'fail', reasonOf(error));
    return null;
  }
}

/** Whether the user could be deleted again, said before there is one. */
function mayStart(features: Features, { logSource, keepUser }: ProbeOptions, say: Say): boolean {
  if (features.registration === false) {
    say('register', 'fail', 'registration is closed there (allow_registration), and the probe needs a user');
    return false;
  }
  const reasons: string[] = [];
  if (!features.accountDeletion) {
    reasons.push('account deletion is off there (enable_account_deletion), so the probe’s user would stay');
  }
  if (features.verificationRequired !== false && !logSource) {
    reasons.push(
      'without --log-source nobody reads the verification mail, so a registration would stay till it expires',
    );
  }
  for (const reason of reasons) {
    say('keep-user', keepUser ? 'warn' : 'fail', keepUser ? reason : `${reason}; --keep-user accepts that`);
  }
  return keepUser || reasons.length === 0;
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

/** Reports the phase; an interruption ends the walk. */
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

/** Takes the user away when the walk has not done so itself. */
async function leave(walk: Walk, { keepUser }: ProbeOptions): Promise<void> {
  const { visitor, features } = walk;
  if (visitor.state === 'none' || visitor.state === 'deleted') return;
  if (!features.accountDeletion && keepUser) {
    walk.report('keep-user', 'warn', `the user ${emailOf(visitor)} stays`);
    return;
  }
  try {
    walk.report('cleanup', ...(await removeVisitor(walk)));
  } catch (error) {
    walk.report('cleanup', 'fail', reasonOf(error));
  }
}

/** What nobody foresaw is an answer of a shape that nobody foresaw. */
function reasonOf(error: unknown): string {
  if (error instanceof CheckFailure) return error.message;
  return `something was answered that is not understood (${error instanceof Error ? error.message : error})`;
}
