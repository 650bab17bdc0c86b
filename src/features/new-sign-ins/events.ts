import { z } from 'zod';
import { AnyUser as user } from '../../contract/views/account.ts';
import { disownable } from '../../contract/views/events.ts';

export const events = {
  new_sign_in: z.object({ user, device: z.string().nullable(), ip: z.string().nullable() }),
  not_me_reported: z.object({ user, about: disownable }),
};
