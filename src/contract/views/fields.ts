import { z } from 'zod';

/** A time in UTC, ISO 8601 to the millisecond. */
export const time = z.iso
  .datetime({ precision: 3 })
  .meta({ examples: ['2026-01-31T12:00:00.000Z'], scalar: 'DateTime' });
export const id = z.string().meta({ examples: ['019c0a2b-5d3e-7f10-8a6b-3c4d5e6f7081'], scalar: 'ID' });
export const isDistrusted = z
  .boolean()
  .optional()
  .describe(
    'True where it gives no access by itself, because it was added since an act that its owner has reported; else absent.',
  );
export const email = z.string().meta({ examples: ['ada@example.org'] });
export const count = z.int().min(0);
export const seconds = z.int().min(1);
