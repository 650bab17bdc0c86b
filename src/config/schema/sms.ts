import { z } from 'zod';
import { flag, line, list, outsideOfTests, secret } from './fields.ts';

/** The `[sms]` table. */
export const sms = z.strictObject({
  ...outsideOfTests({
    backend: z
      .enum(['console', 'sns', 'twilio'], 'must be console, sns or twilio')
      .default('console')
      .describe('`console` prints text messages instead of sending them'),
    from_number: z
      .string('must be a string')
      .regex(/^\+[1-9]\d{6,14}$/, 'must be a phone number such as +15551234567')
      .optional()
      .describe('Sender number; required with `twilio`'),
    log_bodies: flag(false).describe('`console`: log bodies, with their codes, at INFO'),
    sns_region: line().optional().describe("AWS region; the SDK's default when unset"),
    twilio_account_sid: line().optional().describe('Twilio account SID'),
    twilio_auth_token: secret().optional().describe('Twilio auth token'),
  }),
  allowed_prefixes: list(
    z.string('must be a string').regex(/^\+[1-9]\d{0,14}$/, 'must begin with + and a country code'),
  ).describe('Prefixes of numbers that may be set up: `["+44", "+353"]`; empty means all'),
});
