import type { Mail } from './mailer.ts';
import { type Messages, mailKindOf } from './messages.ts';
import type { MailKind } from './variables.ts';

const to = 'ada@example.org';
const act = { at: new Date('2026-01-31T12:00:00Z'), by: 'self', ip: '192.0.2.1' } as const;
const notice = { to, act };
const disownable = { ...notice, notMeUrl: 'https://app.example/not-me?token=sample' };
const link = { to, url: 'https://app.example/page?token=sample', ttlSeconds: 3600 };

type Samples = { [K in keyof Messages]: Parameters<Messages[K]>[0] };

/** Sample parameters of every email, to check that its templates can be rendered, and to look at it. */
const samples: Samples = {
  verification: link,
  passwordReset: link,
  invitation: link,
  emailChange: link,
  addressTaken: { to, wanted: 'registration' },
  emailChangeRequested: { ...notice, newEmail: 'lovelace@example.org' },
  emailChanged: { ...disownable, newEmail: 'lovelace@example.org' },
  accountDeleted: notice,
  passwordBlocked: notice,
  passwordChanged: notice,
  passwordResetDone: notice,
  phoneSet: { ...disownable, phoneNumber: '+447700900140' },
  phoneRemoved: notice,
  identityLinked: { ...disownable, provider: 'google' },
  identityUnlinked: { ...notice, provider: 'google' },
  authenticatorAdded: { ...disownable, kind: 'totp' },
  authenticatorRemoved: { ...notice, kind: 'passkey' },
  recoveryCodeUsed: { ...notice, left: 3 },
  recoveryCodesReplaced: disownable,
  newSignIn: { ...disownable, device: 'Firefox on Linux' },
  notMeReported: { ...notice, isClosed: true, isPasswordNeeded: true },
  secondStepFailed: disownable,
  madeSuperuser: { ...notice, isTakenOver: true },
};

const others = [
  { ...act, by: 'admin' },
  { ...act, by: 'cli', ip: null },
  { ...act, by: 'host', ip: null },
];

/** An email with sample parameters. */
export interface SampleMail {
  kind: MailKind;
  /** Which of several of its kind: `password-changed-by-admin`. */
  name: string;
  write(): Promise<Mail>;
}

/** Returns samples of every kind of email; of notices, one for each kind of person who may have acted. */
export function sampleMails(messages: Messages): SampleMail[] {
  return (Object.keys(samples) as (keyof Messages)[]).flatMap(name => {
    const kind = mailKindOf(name);
    const sample = samples[name];
    const write = messages[name] as (sample: object) => Promise<Mail>;
    const variants = 'act' in sample ? others.map(act => ({ ...sample, act })) : [];
    return [
      { kind, name: kind, write: () => write(sample) },
      ...variants.map(each => ({ kind, name: `${kind}-by-${each.act.by}`, write: () => write(each) })),
    ];
  });
}
