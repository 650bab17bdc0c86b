import { z } from 'zod';
import { id } from '../../contract/views/fields.ts';

/** A set-up of an authenticator app. */
export const TotpSetupView = z
  .object({
    id: id.describe('Identifies the set-up.'),
    secret: z
      .string()
      .describe('The secret in Base32, for people who cannot scan the code. It is shown only now.'),
    otpauth_url: z
      .string()
      .describe('What the QR code contains; a link that opens an app on the same device.'),
    qr_svg: z.string().describe('The QR code, as an SVG document.'),
  })
  .meta({ id: 'TotpSetup', description: 'A set-up of an authenticator app that waits for a code.' });
export type TotpSetupView = z.infer<typeof TotpSetupView>;
