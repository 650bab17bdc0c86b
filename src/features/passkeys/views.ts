import { z } from 'zod';
import { id } from '../../contract/views/fields.ts';

/** A challenge for a passkey. */
export const PasskeyChallengeView = z
  .object({
    id: id.describe('Identifies the challenge.'),
    options: z
      .record(z.string(), z.unknown())
      .meta({ scalar: 'JSON' })
      .describe(
        'The options for the browser, as `parseCreationOptionsFromJSON()` or `parseRequestOptionsFromJSON()` take them.',
      ),
  })
  .meta({ id: 'PasskeyChallenge', description: 'A challenge that a passkey answers within five minutes.' });
export type PasskeyChallengeView = z.infer<typeof PasskeyChallengeView>;
