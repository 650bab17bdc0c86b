import { contactUrl } from '../config/contact-url.ts';
import type { Config } from '../config/schema.ts';
import { languageOf } from '../templates.ts';
import type { Languages } from '../words/languages.ts';
import { english, type Words } from '../words/words.ts';
import type { MailPages, MailSpec } from './define.ts';
import { addressFor, forgotPage, type LinkConfig, type PageConfig } from './links.ts';
import type { Mail } from './mailer.ts';
import { type MailName, type MailParameters, mailKindOf, mailNames, mails } from './mails.ts';
import type { MailTemplates } from './templates.ts';

/** The service as emails name it, and where their links lead. */
export type MessagesConfig = PageConfig & LinkConfig & Pick<Config, 'appName' | 'supportContact'>;

interface MessagesOptions {
  templates: MailTemplates;
  config: MessagesConfig;
  /** In which an email is in the language of its reader; English alone when absent. */
  languages?: Pick<Languages, 'of'>;
  /** The language of every email, for all readers. */
  words?: Words;
}

/** To whom an email is sent, and in which language; the default one for null. */
export interface Addressed {
  to: string;
  locale?: string | null | undefined;
}

/** One function for every kind of email. */
export type Messages = { [N in MailName]: (parameters: MailParameters<N>) => Promise<Mail> };

/** Returns the functions that write emails. */
export function createMessages({ templates, config, languages, words }: MessagesOptions): Messages {
  const { appName: app_name, supportContact: support_contact = null } = config;
  const common = {
    app_name,
    support_contact,
    support_url: support_contact && contactUrl(support_contact),
  };
  const wordsFor = (locale: string | null | undefined) => words ?? languages?.of(locale) ?? english;
  const forgot = forgotPage(config);
  const pagesIn = ({ locale }: Words): MailPages => ({
    login: addressFor(config, config.urls.login, locale),
    forgot: forgot && addressFor(config, forgot, locale),
  });

  const writes = (name: MailName) => async (parameters: Addressed) => {
    const words = wordsFor(parameters.locale);
    const { values }: MailSpec = mails[name];
    const kind = mailKindOf(name);
    const variables = { ...common, ...languageOf(words), ...values(parameters, pagesIn(words), words) };
    const rendered = await templates.render(kind, variables, words);
    return { to: parameters.to, ...rendered, kind, variables, locale: words.locale };
  };
  return Object.fromEntries(mailNames.map(name => [name, writes(name)])) as unknown as Messages;
}
