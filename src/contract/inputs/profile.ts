import { z } from 'zod';
import type { OwnData } from '../own-fields.ts';
import { fullName } from './fields.ts';
import { localeOfChange } from './locale.ts';
import { fieldsOfChange } from './own-fields.ts';

/** A field that is absent stays as it is; null clears it. */
export const updateProfileInput = (own: OwnData) =>
  z.strictObject({ full_name: fullName, ...localeOfChange(own), ...fieldsOfChange(own, 'user') });
