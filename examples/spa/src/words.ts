import { GatehouseError } from 'gatehouse-auth/client';

const duration = (seconds: number) =>
  seconds < 90 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`;

/** Why something failed, for people. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const wait = error instanceof GatehouseError ? error.retryAfter : undefined;
  return wait ? `${error.message} Try again in ${duration(wait)}.` : error.message;
}

/** What is wrong with single fields, by their names. */
export const wrongFields = (error: unknown): Record<string, string> =>
  error instanceof GatehouseError
    ? Object.fromEntries(error.errors.map(({ path, message }) => [path, message]))
    : {};
