import { createTemplates } from '../templates.ts';
import type { Words } from '../words/words.ts';
import type { RenderedMail } from './mailer.ts';

/** An email without its recipient. */
export type MailContent = Omit<RenderedMail, 'to'>;

export interface MailTemplates {
  /** Renders `mail/<kind>.{subject,text,html}.liquid`. @throws {Error} when one is missing or does not parse */
  render(kind: string, variables: object, words: Words): Promise<MailContent>;
}

/**
 * Opens the email templates. Values are escaped in HTML and unescaped in text and subject; a subject is always one line.
 */
export function createMailTemplates({ extraTemplateDirs }: { extraTemplateDirs: string[] }): MailTemplates {
  const plain = createTemplates({ extraTemplateDirs, form: 'plain' });
  const markup = createTemplates({ extraTemplateDirs, form: 'markup' });
  return {
    async render(kind, variables, words) {
      const [subject, text, html] = await Promise.all([
        plain(`mail/${kind}.subject.liquid`, variables, words),
        plain(`mail/${kind}.text.liquid`, variables, words),
        markup(`mail/${kind}.html.liquid`, variables, words),
      ]);
      return { subject: oneLine(subject), text: `${text.trim()}\n`, html };
    },
  };
}

/** Removes line breaks from a subject: they would begin another header (header injection). */
function oneLine(subject: string): string {
  return subject.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();
}
