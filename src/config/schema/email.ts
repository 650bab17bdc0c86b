import { z } from 'zod';
import { emailAddress, flag, line, outsideOfTests, secret, whole } from './fields.ts';

/** The `[email]` table. */
export const email = z.strictObject({
  ...outsideOfTests({
    backend: z
      .enum(['console', 'smtp', 'ses'], 'must be console, smtp or ses')
      .default('console')
      .describe('`console` prints emails instead of sending them'),
  }),
  from_address: emailAddress().default('noreply@localhost').describe('Sender address'),
  from_name: line().optional().describe('Sender name; `app_name` when unset'),
  ...outsideOfTests({
    log_bodies: flag(false).describe('`console`: log bodies, with their one-time tokens, at INFO'),
    smtp_host: line().optional().describe('SMTP server; required with `smtp`'),
    smtp_port: whole(1, 65_535).default(587).describe('SMTP port; 465 means implicit TLS'),
    smtp_starttls: flag(true).describe('Require STARTTLS; false sends unencrypted'),
    smtp_username: line().optional().describe('SMTP user name'),
    smtp_password: secret().optional().describe('SMTP password'),
    ses_region: line().optional().describe("AWS region; the SDK's default when unset"),
    ses_profile: line().optional().describe('AWS credentials profile; excludes explicit keys'),
    ses_access_key_id: secret()
      .optional()
      .describe('Explicit access key id; requires `ses_secret_access_key`'),
    ses_secret_access_key: secret().optional().describe('Explicit secret access key'),
  }),
});
