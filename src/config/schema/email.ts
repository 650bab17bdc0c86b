import { z } from 'zod';
import { emailAddress, flag, line, secret, whole } from './fields.ts';

/** The `[email]` table. */
export const email = z.strictObject({
  backend: z
    .enum(['console', 'smtp', 'ses'], 'must be console, smtp or ses')
    .default('console')
    .describe('Console prints mails instead of sending them'),
  from_address: emailAddress().default('noreply@localhost').describe('Sender address'),
  from_name: line().optional().describe('Sender name; `app_name` when unset'),
  log_bodies: flag(false).describe('Console backend: log bodies, with their one-time tokens, at INFO'),
  smtp_host: line().optional().describe('SMTP server; required with `smtp`'),
  smtp_port: whole(1, 65_535).default(587).describe('SMTP port; 465 means TLS from the first byte'),
  smtp_starttls: flag(true).describe('Require STARTTLS; false sends in the clear'),
  smtp_username: line().optional().describe('SMTP user'),
  smtp_password: secret().optional().describe('SMTP password'),
  ses_region: line().optional().describe("AWS region; the SDK's own when unset"),
  ses_profile: line().optional().describe('Named credentials profile; not together with keys'),
  ses_access_key_id: secret().optional().describe('Explicit credentials, together with the next'),
  ses_secret_access_key: secret().optional().describe('Explicit credentials'),
});
