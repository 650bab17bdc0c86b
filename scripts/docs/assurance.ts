import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { judge } from '../../src/assurance/judge.ts';
import type { Need, Requirement, Test, Way } from '../../src/assurance/needs.ts';
import { type Level, levelNames } from '../../src/assurance/needs.ts';
import { profileOf } from '../../src/assurance/profile.ts';
import { requirements } from '../../src/assurance/requirements/index.ts';
import { defaultAnswers } from '../../src/cli/answers.ts';
import { type Installed, secretsOf, tomlOf } from '../../src/cli/init-files.ts';
import { withProfile } from '../../src/cli/profile-toml.ts';
import { alignedTable } from '../../src/config/describe.ts';
import { loadConfig } from '../../src/config/load.ts';
import { features } from '../../src/feature-parts.ts';

interface WayIn {
  way: string;
  /** The operations that end in a session, by their names in GraphQL; none of a program of the host. */
  operations: readonly string[];
  amr: string;
  strength: string;
  due: string;
  guesses: string;
  phishing: string;
  flag: string;
}

const counted = 'lockout, `max_consecutive_failures`, `login_rate_limit`';
const codesCounted =
  '5 for each sign-in, 10 for each account in 15 minutes, `max_consecutive_failures`, `login_mfa_confirm_rate_limit`';

/** Every way to a session. A test compares the operations with those that there are. */
export const waysIn: readonly WayIn[] = [
  {
    ...{ way: 'password', operations: ['login'], amr: 'pwd', strength: 'aal1', flag: 'always' },
    ...{ due: 'the second step, where the account has one', guesses: counted, phishing: 'no' },
  },
  {
    ...{ way: 'passkey', operations: ['loginWithPasskey'], amr: 'hwk or swk, mfa', strength: 'phr' },
    ...{ due: 'nothing: it is two factors', flag: 'enable_passkeys' },
    ...{ guesses: 'a challenge is good once, for 5 minutes', phishing: 'resists' },
  },
  {
    ...{ way: 'identity provider', operations: ['exchangeOAuth'], amr: 'fed', strength: 'aal1' },
    ...{ due: 'the second step, where the account has one (`oauth.enforce_mfa`)', flag: 'enable_oauth' },
    ...{ guesses: 'state, PKCE, nonce, `code_challenge` of the browser', phishing: 'as the provider does' },
  },
  {
    ...{ way: 'second step: passkey', operations: ['confirmLoginMfa'], amr: 'and hwk or swk, mfa' },
    ...{
      strength: 'aal2',
      due: 'nothing',
      guesses: codesCounted,
      phishing: 'resists',
      flag: 'enable_passkeys',
    },
  },
  {
    ...{ way: 'second step: app', operations: ['confirmLoginMfa'], amr: 'and otp, mfa', strength: 'aal2' },
    ...{ due: 'nothing', guesses: codesCounted, phishing: 'no', flag: 'enable_totp' },
  },
  {
    ...{ way: 'second step: text message', operations: ['confirmLoginMfa'], amr: 'and sms, mfa' },
    ...{ strength: 'aal2', due: 'nothing', guesses: codesCounted, phishing: 'no', flag: 'enable_sms_2fa' },
  },
  {
    ...{
      way: 'second step: recovery code',
      operations: ['confirmLoginMfa'],
      amr: 'and mfa',
      strength: 'aal2',
    },
    ...{ due: 'nothing', guesses: codesCounted, phishing: 'no', flag: 'enable_totp, enable_passkeys' },
  },
  {
    ...{
      way: 'signing in again',
      operations: ['reauthenticate'],
      amr: 'as a sign-in',
      strength: 'as a sign-in',
    },
    ...{ due: 'as a sign-in', guesses: `as a sign-in; the wrong password counts as a wrong current one` },
    ...{ phishing: 'as a sign-in', flag: 'always' },
  },
  {
    ...{ way: 'setting up a factor', operations: ['confirmTotpSetup', 'confirmPasskeySetup'] },
    ...{
      amr: 'of the session, and otp, hwk or swk, mfa',
      strength: 'aal2',
      due: 'nothing; the time of the sign-in stays',
    },
    ...{ guesses: codesCounted, phishing: 'as the factor does', flag: 'enable_totp, enable_passkeys' },
  },
  {
    ...{
      way: 'program of the host',
      operations: [],
      amr: 'host, and mfa where it says so',
      strength: 'aal1 or aal2',
    },
    ...{
      due: 'the second step, unless the host has seen two factors',
      guesses: 'the host',
      phishing: 'as the host does',
    },
    flag: 'always',
  },
];

const code = (text: string) => `\`${text}\``;

/** Returns a table of every way of signing in, with what it proves. */
export function waysInTable(): string {
  const rows = waysIn.map(({ way, operations, amr, strength, due, guesses, phishing, flag }) => [
    way,
    operations.map(code).join(', ') || '`gatehouse.sessions.issue`',
    amr,
    strength,
    due,
    guesses,
    phishing,
    flag === 'always' ? flag : flag.split(', ').map(code).join(', '),
  ]);
  const head = ['Way', 'Operation', '`amr`', 'Strength', 'Then due', 'Guesses', 'Phishing', 'On by'];
  return alignedTable([head, ...rows]);
}

/** Returns in words when a value is enough. */
function enough(test: Test): string {
  if ('atLeast' in test) return `at least ${test.atLeast}`;
  if ('atMost' in test) return `at most ${test.atMost}`;
  if ('between' in test) return `from ${test.between[0]} to ${test.between[1]}`;
  if ('oneOf' in test) return test.oneOf.map(value => code(String(value))).join(' or ');
  if ('noneOf' in test) return `not ${test.noneOf.map(value => code(String(value))).join(' or ')}`;
  if ('within' in test) return `nothing but ${test.within.map(code).join(', ')}`;
  return 'set';
}

const needText = ({ key, is, orFact, when }: Need) =>
  `${code(key)} ${enough(is)}${orFact ? ` or a ${code(orFact)} of the host` : ''}${when ? ` (with ${code(when.key)})` : ''}`;
const wayText = (way: Way) => way.map(needText).join(', ');

function whenMet({ verdict, arises, host }: Requirement): string {
  const texts = [
    ...('not' in verdict ? [`does not apply: ${verdict.not}`] : []),
    ...('unmet' in verdict ? [`not met: ${verdict.unmet}`] : []),
    ...('always' in verdict ? ['always'] : []),
    ...('needs' in verdict ? [verdict.needs.map(wayText).join('; or ')] : []),
    ...(arises ? [`arises with ${arises.map(({ key }) => code(key)).join(' or ')}`] : []),
    ...(host ? [`falls on the host unless ${needText(host)}`] : []),
  ];
  return texts.join('; ');
}

const lowest = ({ levels: [level] }: Requirement) =>
  level?.startsWith('asvs') ? `level ${level.slice(-1)}` : (level?.toUpperCase() ?? '');

/** Returns a table of every requirement, with when it is met. */
export function requirementTable(): string {
  const rows = requirements.map(requirement => [
    code(requirement.id),
    lowest(requirement),
    requirement.words,
    whenMet(requirement),
  ]);
  return alignedTable([['Requirement', 'From', 'Asks for', 'Met'], ...rows]);
}

/** Returns what shows each requirement that a configuration meets: a list, because it is too long for a table. */
export function shownList(): string {
  return requirements
    .flatMap(({ id, verdict }) => {
      const shown = 'always' in verdict ? verdict.always : 'needs' in verdict ? verdict.shown : null;
      if (!shown) return [];
      const tests = shown.tests.map(test => code(test.replaceAll('`', "'")));
      const docs = (shown.docs ?? []).map(doc => doc.slice('docs/'.length)).map(doc => `[${doc}](${doc})`);
      return [`- ${code(id)}: ${[...tests, ...docs].join('; ')}`];
    })
    .join('\n');
}

/** The values that an operator fills in. */
const filledIn = {
  SVC_EMAIL__BACKEND: 'smtp',
  SVC_EMAIL__SMTP_HOST: 'mail.example.org',
  SVC_SUPPORT_CONTACT: 'help@example.org',
};

/** Returns which requirements the files of `svc init` meet, with emails and a contact, and with these variables. */
export function judgeNew(level: Level | null, variables: Record<string, string> = {}) {
  const all = Object.fromEntries(Object.keys(features).map(name => [name, true]));
  const installed: Installed = { limiter: true, ...all };
  const toml = tomlOf(defaultAnswers, installed);
  const { text } = withProfile(toml, level ? profileOf(level) : [], defaultAnswers.baseUrl);
  const cwd = mkdtempSync(join(tmpdir(), 'assurance-'));
  try {
    writeFileSync(join(cwd, 'svc.toml'), text);
    writeFileSync(join(cwd, 'svc.secrets.env'), secretsOf(defaultAnswers), { mode: 0o600 });
    return judge(loadConfig({ cwd, env: { ...filledIn, ...variables } }).config);
  } finally {
    rmSync(cwd, { recursive: true });
  }
}

/** Returns how many requirements of each level new configurations meet, in words. */
export function countsTable(): string {
  const shown = [null, 'asvs-2', 'asvs-3', 'aal2'] as const;
  const rows = shown.map(level => {
    const { levels } = judgeNew(level, { SVC_ENABLE_UI_ROUTER: 'true' });
    const cells = levelNames.map(name => {
      const { applicable, met, not_arising } = levels[name];
      return `${met} of ${applicable - not_arising}`;
    });
    return [code(level ? `svc init --assurance ${level}` : 'svc init'), ...cells];
  });
  return alignedTable([['With', ...levelNames.map(code)], ...rows]);
}
