import { z } from 'zod';
import { assetUrl, lineByLanguage } from './fields.ts';

/** A `[footer_links.NAME]` table: a link at the foot of each page. */
export const footerLink = z.strictObject({
  url: assetUrl('/privacy').describe('Where it leads: a path or a URL'),
  label: lineByLanguage().describe('Its text; or a table of it by language'),
});
