import type { Mail } from './mailer.ts';
import type { MailTemplates } from './templates.ts';

interface MessagesOptions {
  templates: MailTemplates;
  config: { appName: string };
}

interface Notice {
  to: string;
}

interface LinkMessage {
  to: string;
  /** The whole link, with its token. */
  url: string;
  /** How long the link works, in seconds. */
  ttlSeconds: number;
}

export type Messages = ReturnType<typeof createMessages>;

/**
 * Every mail there is, one function each: a function here and three files in `views/mail` make another. None holds a
 * name that a user chose, because an address that nobody has verified may get it.
 */
export function createMessages({ templates, config }: MessagesOptions) {
  async function message(template: string, to: string, variables: object = {}): Promise<Mail> {
    return { to, ...(await templates.render(template, { app_name: config.appName, ...variables })) };
  }

  function link(template: string, { to, url, ttlSeconds }: LinkMessage): Promise<Mail> {
    return message(template, to, { url, lifetime: inWords(ttlSeconds) });
  }

  return {
    /** To the address of a new account, for its owner to confirm. */
    verification: (mail: LinkMessage) => link('verification', mail),
    passwordReset: (mail: LinkMessage) => link('password-reset', mail),
    /** To the new address, which the link makes the account's own. */
    emailChange: (mail: LinkMessage) => link('email-change', mail),

    /** To the present address, at the request; the new one is shown only in part. */
    emailChangeRequested: ({ to, newEmail }: Notice & { newEmail: string }) =>
      message('email-change-requested', to, { new_email: masked(newEmail) }),
    /** To the previous address, at the change; the new one is shown only in part. */
    emailChanged: ({ to, newEmail }: Notice & { newEmail: string }) =>
      message('email-changed', to, { new_email: masked(newEmail) }),
    passwordChanged: ({ to }: Notice) => message('password-changed', to),
    passwordResetDone: ({ to }: Notice) => message('password-reset-done', to),
    phoneSet: ({ to, phoneNumber }: Notice & { phoneNumber: string }) =>
      message('phone-set', to, { phone: `…${phoneNumber.slice(-2)}` }),
    phoneRemoved: ({ to }: Notice) => message('phone-removed', to),
    identityLinked: ({ to, provider }: Notice & { provider: string }) =>
      message('identity-linked', to, { provider }),
    identityUnlinked: ({ to, provider }: Notice & { provider: string }) =>
      message('identity-unlinked', to, { provider }),
    madeSuperuser: ({ to }: Notice) => message('made-superuser', to),
  };
}

/** `24 hours`, `30 minutes`, `90 seconds`: rounded down, so that no mail promises more than its link keeps. */
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

/** `a***@example.org`: enough for its owner to recognise, too little for others to write to. */
function masked(address: string): string {
  return `${address.slice(0, 1)}***${address.slice(address.lastIndexOf('@'))}`;
}
