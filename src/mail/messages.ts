import { isIP } from 'node:net';
import { contactUrl } from '../config/contact-url.ts';
import type { Config } from '../config/schema.ts';
import { languageOf } from '../templates.ts';
import { english } from '../words/words.ts';
import { forgotPage, type PageConfig } from './links.ts';
import type { Mail } from './mailer.ts';
import type { MailTemplates } from './templates.ts';
import type { CommonVariables, MailKind, MailVariables } from './variables.ts';

/** What emails say of the service, and where their links lead. */
export type MessagesConfig = PageConfig & Pick<Config, 'appName' | 'supportContact'>;

interface MessagesOptions {
  templates: MailTemplates;
  config: MessagesConfig;
}

/** An act on an account: when, by whom, and from which IP address. */
interface Act {
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

export type Messages = ReturnType<typeof createMessages>;

/** The variables that are a kind's own. */
type Own<K extends MailKind> = Omit<MailVariables[K], keyof CommonVariables>;
type NoticeKind = { [K in MailKind]: MailVariables[K] extends { at: string } ? K : never }[MailKind];
type Details<K extends NoticeKind> = Omit<Own<K>, 'at' | 'by' | 'ip' | 'forgot_url'>;

/** Returns the kind of email that a function of `Messages` writes: `passwordReset` writes `password-reset`. */
export const mailKindOf = (name: keyof Messages) =>
  name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`) as MailKind;

/**
 * Returns one function for every kind of email. A new kind needs a function here, its variables in `variables.ts`, and three
 * files in `views/mail`. No email contains a name that a user chose, because it may go to an address that is not verified.
 */
export function createMessages({ templates, config }: MessagesOptions) {
  const { appName: app_name, supportContact: support_contact = null } = config;
  const common = {
    app_name,
    support_contact,
    support_url: support_contact && contactUrl(support_contact),
  };

  async function message<K extends MailKind>(kind: K, to: string, own: Own<K>): Promise<Mail> {
    const words = english;
    const variables = { ...common, ...languageOf(words), ...own };
    return {
      to,
      ...(await templates.render(kind, variables, words)),
      kind,
      variables,
      locale: words.locale,
    } as unknown as Mail;
  }

  function link(
    kind: 'verification' | 'password-reset' | 'invitation' | 'email-change',
    { to, url, ttlSeconds }: LinkMessage,
  ): Promise<Mail> {
    return message(kind, to, { url, lifetime: inWords(ttlSeconds) });
  }

  /** A notice: what was done to the account, and what to do if it was not the owner. */
  function notice<K extends NoticeKind>(kind: K, { to, act }: Notice, details: Details<K>): Promise<Mail> {
    // A trusted proxy may still forward text that an attacker wrote.
    const ip = act.ip !== null && isIP(act.ip) !== 0 ? act.ip : null;
    const common = { at: inUtc(act.at), by: act.by, ip, forgot_url: forgotPage(config) };
    return message(kind, to, { ...common, ...details } as unknown as Own<K>);
  }

  return {
    /** To the address of a new account, for its owner to confirm. */
    verification: (mail: LinkMessage) => link('verification', mail),
    passwordReset: (mail: LinkMessage) => link('password-reset', mail),
    /** To the address of an account that the host has made, for its owner to choose a password. */
    invitation: (mail: LinkMessage) => link('invitation', mail),
    /** To the new address, which becomes the address of the account when the link is used. */
    emailChange: (mail: LinkMessage) => link('email-change', mail),
    /** To an address that has an account, and with which somebody wanted to register, or to change to. */
    addressTaken: ({ to, wanted }: { to: string; wanted: 'registration' | 'email_change' }) =>
      message('address-taken', to, {
        ...{ wanted, login_url: config.urls.login, forgot_url: forgotPage(config) },
      }),

    /** To the present address, at the request; the new one is partly masked. */
    emailChangeRequested: (mail: Notice & { newEmail: string }) =>
      notice('email-change-requested', mail, { new_email: masked(mail.newEmail) }),
    /** To the previous address, at the change; the new one is partly masked. */
    emailChanged: (mail: Disownable & { newEmail: string }) =>
      notice('email-changed', mail, { new_email: masked(mail.newEmail), ...notMeOf(mail) }),
    /** To the address that the account had. */
    accountDeleted: (mail: Notice) => notice('account-deleted', mail, {}),
    /** So many wrong passwords in a row were given that the password no longer signs in. */
    passwordBlocked: (mail: Notice) => notice('password-blocked', mail, {}),
    passwordChanged: (mail: Notice) => notice('password-changed', mail, {}),
    passwordResetDone: (mail: Notice) => notice('password-reset-done', mail, {}),
    phoneSet: (mail: Disownable & { phoneNumber: string }) =>
      notice('phone-set', mail, { phone: `…${mail.phoneNumber.slice(-2)}`, ...notMeOf(mail) }),
    phoneRemoved: (mail: Notice) => notice('phone-removed', mail, {}),
    identityLinked: (mail: Disownable & { provider: string }) =>
      notice('identity-linked', mail, { provider: mail.provider, ...notMeOf(mail) }),
    identityUnlinked: (mail: Notice & { provider: string }) =>
      notice('identity-unlinked', mail, { provider: mail.provider }),
    authenticatorAdded: (mail: Disownable & { kind: 'totp' | 'passkey' }) =>
      notice('authenticator-added', mail, { kind: mail.kind, ...notMeOf(mail) }),
    authenticatorRemoved: (mail: Notice & { kind: 'totp' | 'passkey' }) =>
      notice('authenticator-removed', mail, { kind: mail.kind }),
    recoveryCodeUsed: (mail: Notice & { left: number }) =>
      notice('recovery-code-used', mail, { left: mail.left }),
    recoveryCodesReplaced: (mail: Disownable) => notice('recovery-codes-replaced', mail, notMeOf(mail)),
    /** Somebody signed in from a browser or network that the account has not used lately. */
    newSignIn: (mail: Disownable & { device: string | null }) =>
      notice('new-sign-in', mail, { device: mail.device, ...notMeOf(mail) }),
    /** To the address of an account, and to the one that the link "this was not me" was sent to, once it was used. */
    notMeReported: (mail: Notice & { isClosed: boolean; isPasswordNeeded: boolean }) =>
      notice('not-me-reported', mail, { closed: mail.isClosed, password_needed: mail.isPasswordNeeded }),
    /** Somebody who knows the password has given so many wrong codes. */
    secondStepFailed: (mail: Disownable) => notice('second-step-failed', mail, notMeOf(mail)),
    /** An operator may have taken the account over: then every way of signing in was removed. */
    madeSuperuser: (mail: Notice & { isTakenOver: boolean }) =>
      notice('made-superuser', mail, { taken_over: mail.isTakenOver }),
  };
}

const notMeOf = ({ notMeUrl = null }: { notMeUrl?: string | null }) => ({ not_me_url: notMeUrl });

/** Returns `24 hours`, `30 minutes`, `90 seconds`: rounded down, so that no email promises more than its link keeps. */
function inWords(seconds: number): string {
  const whole = seconds < 120 ? seconds : seconds - (seconds % 60);
  const units = [
    { name: 'day', seconds: 86_400, from: 172_800 },
    { name: 'hour', seconds: 3600, from: 3600 },
    { name: 'minute', seconds: 60, from: 60 },
  ];
  const unit = units.find(unit => whole >= unit.from && whole % unit.seconds === 0);
  const count = unit ? whole / unit.seconds : whole;
  return `${count} ${unit?.name ?? 'second'}${count === 1 ? '' : 's'}`;
}

/** Returns `a***@example.org`: enough for its owner to recognise, too little for others to write to. */
export function masked(address: string): string {
  return `${address.slice(0, 1)}***${address.slice(address.lastIndexOf('@'))}`;
}

/** Returns `22 November 2026, 14:05 UTC`. */
function inUtc(moment: Date): string {
  // The first of these loads the data of all languages, so none is made at the start.
  const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
  return `${day.format(moment)}, ${moment.toISOString().slice(11, 16)} UTC`;
}
