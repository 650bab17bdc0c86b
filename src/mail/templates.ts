import { createTemplates } from '../templates.ts';
import type { Mail } from './mailer.ts';

/** A mail that lacks only its recipient. */
export type MailContent = Omit<Mail, 'to'>;

export interface MailTemplates {
  /** Renders `mail/<name>.{subject,text,html}.liquid`. @throws {Error} when one is missing or does not parse */
  render(name: string, variables: Record<string, unknown>): Promise<MailContent>;
}

/** Mail templates. Values are escaped in HTML and stand as they are in text and subject; a subject is always one line. */
export function createMailTemplates({ extraTemplateDirs }: { extraTemplateDirs: string[] }): MailTemplates {
  const plain = createTemplates({ extraTemplateDirs, form: 'plain' });
  const markup = createTemplates({ extraTemplateDirs, form: 'markup' });
  return {
    async render(name, variables) {
      const [subject, text, html] = await Promise.all([
        plain(`mail/${name}.subject.liquid`, variables),
        plain(`mail/${name}.text.liquid`, variables),
        markup(`mail/${name}.html.liquid`, variables),
      ]);
      return { subject: oneLine(subject), text: `${text.trim()}\n`, html };
    },
  };
}

/** A line break in a subject would begin another header. */
function oneLine(subject: string): string {
  return subject.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();
}
