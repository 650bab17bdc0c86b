import type { Mail } from './mailer.ts';
import { type MailKind, mailKindOf, mailNames, mails } from './mails.ts';
import type { Messages } from './messages.ts';

const others = [{ by: 'admin' }, { by: 'cli', ip: null }, { by: 'host', ip: null }];

/** An email with sample parameters. */
export interface SampleMail {
  kind: MailKind;
  /** Which of several of its kind: `password-changed-by-admin`. */
  name: string;
  write(): Promise<Mail>;
}

/** Returns samples of every kind of email; of notices, one for each kind of person who may have acted. */
export function sampleMails(messages: Messages): SampleMail[] {
  return mailNames.flatMap(name => {
    const kind = mailKindOf(name);
    const { sample } = mails[name];
    const write = messages[name] as (sample: object) => Promise<Mail>;
    const variants =
      'act' in sample ? others.map(act => ({ ...sample, act: { ...sample.act, ...act } })) : [];
    return [
      { kind, name: kind, write: () => write(sample) },
      ...variants.map(each => ({ kind, name: `${kind}-by-${each.act.by}`, write: () => write(each) })),
    ];
  });
}
