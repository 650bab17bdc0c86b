import type { Act } from './define.ts';
import type { Mail } from './mailer.ts';
import { type MailKind, type MailName, mailKindOf, mailNames, mails } from './mails.ts';
import type { Messages } from './messages.ts';

const others = [{ by: 'admin' }, { by: 'cli', ip: null }, { by: 'host', ip: null }] as const;

/** An email with sample parameters. */
export interface SampleMail {
  kind: MailKind;
  mail: MailName;
  /** By whom what it tells of was done; undefined where it tells of no act. */
  by: Act['by'] | undefined;
  /** Which of several of its kind: `password-changed-by-admin`. */
  name: string;
  write(): Promise<Mail>;
}

/** Writes an email with its sample parameters. */
export const sampleOf = (messages: Messages, name: MailName): Promise<Mail> =>
  (messages[name] as (sample: object) => Promise<Mail>)(mails[name].sample);

/** Returns samples of every kind of email; of notices, one for each kind of person who may have acted. */
export function sampleMails(messages: Messages): SampleMail[] {
  return mailNames.flatMap((name): SampleMail[] => {
    const kind = mailKindOf(name);
    const { sample } = mails[name];
    const write = messages[name] as (sample: object) => Promise<Mail>;
    const own = { kind, mail: name, name: kind, write: () => sampleOf(messages, name) };
    if (!('act' in sample)) return [{ ...own, by: undefined }];
    const variants = others.map(act => ({
      ...own,
      by: act.by,
      name: `${kind}-by-${act.by}`,
      write: () => write({ ...sample, act: { ...sample.act, ...act } }),
    }));
    return [{ ...own, by: 'self' as const }, ...variants];
  });
}
