import { CheckFailure } from '../check.ts';

/** Where the emails of a deployment arrive. */
export type Mailbox = { kind: 'maildir'; path: string } | { kind: 'cmd'; command: string };

const forms = 'maildir:PATH or cmd:COMMAND';

/** Parses `--mailbox`. @throws {CheckFailure} that says what is wrong with it */
export function parseMailbox(text: string): Mailbox {
  const [, kind, rest] = /^([a-z]+):(.*)$/s.exec(text) ?? [];
  if (kind === undefined || !rest) throw new CheckFailure(`The mailbox must be ${forms}.`);
  if (rest.includes('\0')) throw new CheckFailure('The mailbox contains a null character.');
  switch (kind) {
    case 'maildir':
      return { kind, path: rest };
    case 'cmd':
      return { kind, command: rest };
    default:
      throw new CheckFailure(`There is no mailbox ${kind}: it must be ${forms}.`);
  }
}

/** Replaced by the tag of the probe in the form of an address. */
const placeholder = '{tag}';

/**
 * Returns an address of this form that arrives in a mailbox: with the tag in place of `{tag}`, otherwise after a plus sign
 * (subaddressing).
 */
export function addressLike(form: string, tag: string): string {
  if (form.includes(placeholder)) return form.replace(placeholder, tag);
  const at = form.lastIndexOf('@');
  return `${form.slice(0, at)}+${tag}${form.slice(at)}`;
}
