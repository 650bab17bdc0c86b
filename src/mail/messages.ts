import { contactUrl } from '../config/contact-url.ts';
import type { Config } from '../config/schema.ts';
import { languageOf } from '../templates.ts';
import { english, type Words } from '../words/words.ts';
import type { MailPages, MailSpec } from './define.ts';
import { forgotPage, type PageConfig } from './links.ts';
import type { Mail } from './mailer.ts';
import { type MailName, type MailParameters, mailKindOf, mailNames, mails } from './mails.ts';
import type { MailTemplates } from './templates.ts';

/** What emails say of the service, and where their links lead. */
export type MessagesConfig = PageConfig & Pick<Config, 'appName' | 'supportContact'>;

interface MessagesOptions {
  templates: MailTemplates;
  config: MessagesConfig;
  /** The language of the emails; English when absent. */
  words?: Words;
}

/** One function for every kind of email. */
export type Messages = { [N in MailName]: (parameters: MailParameters<N>) => Promise<Mail> };

/** Returns the functions that write emails. */
export function createMessages({ templates, config, words = english }: MessagesOptions): Messages {
  const { appName: app_name, supportContact: support_contact = null } = config;
  const common = {
    app_name,
    support_contact,
    support_url: support_contact && contactUrl(support_contact),
  };
  const pages: MailPages = { login: config.urls.login, forgot: forgotPage(config) };

  const writes = (name: MailName) => async (parameters: { to: string }) => {
    const { values }: MailSpec = mails[name];
    const kind = mailKindOf(name);
    const variables = { ...common, ...languageOf(words), ...values(parameters, pages, words) };
    const rendered = await templates.render(kind, variables, words);
    return { to: parameters.to, ...rendered, kind, variables, locale: words.locale };
  };
  return Object.fromEntries(mailNames.map(name => [name, writes(name)])) as unknown as Messages;
}
