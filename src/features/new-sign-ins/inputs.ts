import { z } from 'zod';
import { token } from '../../contract/inputs/fields.ts';

const ignored = z.string().nullish().describe('Ignored. The former version put an account back with it.');

export const ReportNotMeInput = z.strictObject({ token, password: ignored, new_password: ignored });
