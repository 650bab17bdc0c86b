import { z } from 'zod';
import { assetUrl, line } from './fields.ts';

/** A `[footer_links.NAME]` table: a link at the foot of each page. */
export const footerLink = z.strictObject({
  url: assetUrl('/privacy').describe('Where it leads: a path or a URL'),
  label: line().describe('Its text'),
});
