import type { Logger } from '../../src/logger.ts';
import type { RenderedMail } from '../../src/mail/mailer.ts';

export const mail: RenderedMail = {
  to: 'ann@recipient.example',
  subject: 'Confirm your address',
  text: 'Open this link:\n\nhttps://app.example/verify?token=s3cret-token\n',
  html: '<p><a href="https://app.example/verify?token=s3cret-token">Confirm</a></p>',
};

export const sender = { name: 'Acme, "Inc"', address: 'noreply@acme.example' };

export interface LogRecord {
  level: keyof Logger;
  fields: Record<string, unknown>;
  message: string;
}

/** A logger that keeps what it is told. */
export function recordingLogger(): Logger & { records: LogRecord[] } {
  const records: LogRecord[] = [];
  const at = (level: keyof Logger) => (fields: object, message: string) => {
    records.push({ level, fields: fields as Record<string, unknown>, message });
  };
  return { records, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
