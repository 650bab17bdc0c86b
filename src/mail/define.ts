import { isIP } from 'node:net';
import { z } from 'zod';
import { formatters } from '../words/format.ts';
import type { Words } from '../words/words.ts';

const text = z.string();

/** The parameters of every email. */
const common = {
  app_name: text.describe('from the configuration'),
  support_contact: text
    .nullable()
    .describe('from the configuration: where people ask for help; null where it is not set'),
  support_url: text
    .nullable()
    .describe('`support_contact` as a link: itself, or `mailto:` before an email address'),
  locale: text.describe('the language of the email: `en`'),
  direction: z.enum(['ltr', 'rtl']).describe('the direction of its script'),
};

/** The variables that every kind has. */
export type CommonVariables = { [N in keyof typeof common]: z.infer<(typeof common)[N]> };

/** The names of the variables that every kind has. */
export const commonVariables = Object.keys(common) as (keyof CommonVariables)[];

/** The parameters of emails with a link. */
const ofLinks = {
  url: text.describe('the link, with its token'),
  lifetime: text.describe('how long the link works: `30 minutes`'),
  lifetime_unit: z.enum(['day', 'hour', 'minute', 'second']).describe('the unit of `lifetime`'),
  lifetime_count: z.number().describe('how many of its units `lifetime` has'),
};

/** Where a new password is asked for. */
export const forgotUrl = text
  .nullable()
  .describe(
    'where to ask for a new password: the page `forgot`, or with the pages off your `urls.login`; null where neither exists',
  );

/** The parameters of notices: emails about acts on the account. */
const ofNotices = {
  at: text.describe('when it happened: `22 November 2026, 14:05 UTC`'),
  by: z
    .enum(['self', 'admin', 'cli', 'host'])
    .describe(
      'who did it: `self`, `admin` (a superuser), `cli` (an operator on the server), `host` (the application)',
    ),
  ip: text.nullable().describe('from which IP address; null for `cli` and `host`, and where it is not known'),
  forgot_url: forgotUrl,
};

const ofDisownable = {
  not_me_url: text
    .nullable()
    .describe('the link "this was not me", with its token; null while `notify_new_sign_in` is off'),
};

/** An act on an account: when, by whom, and from which IP address. */
export interface Act {
  at: Date;
  by: 'self' | 'admin' | 'cli' | 'host';
  /** Null on the command line, in the server API, and where a host does not know it. */
  ip: string | null;
}

export interface Notice {
  to: string;
  act: Act;
}

/** A notice of an act that its owner may disown. */
export interface Disownable extends Notice {
  /** The link "this was not me", with its token. */
  notMeUrl?: string;
}

export interface LinkMessage {
  to: string;
  /** The whole link, with its token. */
  url: string;
  /** How long the link is valid, in seconds. */
  ttlSeconds: number;
}

/** The addresses of pages to which emails lead. */
export interface MailPages {
  /** Where people sign in. */
  login: string;
  /** Where a new password is asked for; null where there is no such page. */
  forgot: string | null;
}

type Shape = z.ZodRawShape;
type Values<S extends Shape> = z.infer<z.ZodObject<S>>;

/** One kind of email: `P` is what its function takes, and `S` has the variables of its templates. */
export interface MailSpec<P extends { to: string } = { to: string }, S extends Shape = Shape> {
  /** The variables, each with what it holds; the description says when the email is sent. */
  readonly variables: z.ZodObject<S>;
  /** Sample parameters, to check that its templates can be rendered, and to look at it. */
  readonly sample: P;
  /** Returns the values of its variables, beside those that every kind has. */
  values(mail: P, pages: MailPages, words: Words): object;
}

/** The part of a kind of its own: variables, and their values for `D`, the part of the parameters that is its own. */
interface Own<D extends object, S extends Shape> {
  variables: S;
  /** A sample of these parameters. */
  sample: NoInfer<D>;
  values(details: D, pages: MailPages, words: Words): NoInfer<Values<S>>;
}

/** A notice that says nothing beside the act. */
export const nothing = { variables: {}, sample: {}, values: () => ({}) };

const to = 'ada@example.org';
const act: Act = { at: new Date('2026-01-31T12:00:00Z'), by: 'self', ip: '192.0.2.1' };

/**
 * Declares a kind of email. Its templates are `views/mail/<kind>.{subject,text,html}.liquid`.
 * @param about when it is sent, for the documentation
 */
export const mail = <D extends object, S extends Shape>(about: string, own: Own<D, S>) => ({
  variables: z.object({ ...common, ...own.variables }).describe(about),
  sample: { to, ...own.sample },
  values: (mail: { to: string } & D, pages: MailPages, words: Words) => own.values(mail, pages, words),
});

/** Declares an email with a link, which proves that somebody reads what is sent to the address. */
export const linkMail = <D extends object, S extends Shape>(about: string, own: Own<D, S>) => ({
  variables: z.object({ ...common, ...ofLinks, ...own.variables }).describe(about),
  sample: { to, url: 'https://app.example/page?token=sample', ttlSeconds: 3600, ...own.sample },
  values: (mail: LinkMessage & D, pages: MailPages, words: Words) => ({
    url: mail.url,
    ...lifetimeOf(mail.ttlSeconds, words),
    ...own.values(mail, pages, words),
  }),
});

/**
 * Declares a notice: what was done to the account, and what to do if it was not the owner.
 * @example phoneRemoved: notice('the phone was removed', nothing)
 */
export const notice = <D extends object, S extends Shape>(about: string, own: Own<D, S>) => ({
  variables: z.object({ ...common, ...ofNotices, ...own.variables }).describe(about),
  sample: { to, act, ...own.sample },
  values: (mail: Notice & D, pages: MailPages, words: Words) => ({
    ...actOf(mail.act, words),
    forgot_url: pages.forgot,
    ...own.values(mail, pages, words),
  }),
});

/** Declares a notice of an act that its owner may disown: it has the link "this was not me" while there is one. */
export const disownableNotice = <D extends object, S extends Shape>(about: string, own: Own<D, S>) => ({
  variables: z.object({ ...common, ...ofNotices, ...ofDisownable, ...own.variables }).describe(about),
  sample: { to, act, notMeUrl: 'https://app.example/not-me?token=sample', ...own.sample },
  values: (mail: Disownable & D, pages: MailPages, words: Words) => ({
    ...actOf(mail.act, words),
    forgot_url: pages.forgot,
    not_me_url: mail.notMeUrl ?? null,
    ...own.values(mail, pages, words),
  }),
});

// A trusted proxy may still forward text that an attacker wrote.
const actOf = ({ at, by, ip }: Act, words: Words) => ({
  at: inUtc(at, words),
  by,
  ip: ip !== null && isIP(ip) !== 0 ? ip : null,
});

const units = [
  { name: 'day', seconds: 86_400, from: 172_800 },
  { name: 'hour', seconds: 3600, from: 3600 },
  { name: 'minute', seconds: 60, from: 60 },
] as const;

/** Returns `24 hours`, `30 minutes`, `90 seconds`: rounded down, so that no email promises more than its link keeps. */
function lifetimeOf(seconds: number, words: Words) {
  const whole = seconds < 120 ? seconds : seconds - (seconds % 60);
  const unit = units.find(unit => whole >= unit.from && whole % unit.seconds === 0);
  const lifetime_count = unit ? whole / unit.seconds : whole;
  const lifetime_unit = unit?.name ?? 'second';
  return {
    lifetime: words.t(`unit_${lifetime_unit}s`, { n: lifetime_count }),
    lifetime_unit,
    lifetime_count,
  };
}

/** Returns `22 November 2026`: the day in UTC. */
export function dayOf(moment: Date, { locale }: Words): string {
  // The first of these loads the data of all languages, so none is made at the start.
  const written = locale === 'en' ? 'en-GB' : locale;
  return formatters.getDateTimeFormat(written, { dateStyle: 'long', timeZone: 'UTC' }).format(moment);
}

/** Returns `22 November 2026, 14:05 UTC`. */
const inUtc = (moment: Date, words: Words): string =>
  words.t('unit_moment', { day: dayOf(moment, words), time: moment.toISOString().slice(11, 16) });

/** Returns `a***@example.org`: enough for its owner to recognise, too little for others to write to. */
export function masked(address: string): string {
  return `${address.slice(0, 1)}***${address.slice(address.lastIndexOf('@'))}`;
}
