import type { Outcome } from '../check.ts';

/** What one check of the configuration found; its name is that of what was looked at. */
export type Finding = [outcome: Outcome, detail: string];

/** Why something failed, in one line without secrets: the reason in words, where a lower layer has put one into it. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause, message } = error;
  if (!(cause instanceof Error) || cause.name !== 'StorageError') return message;
  // A whole sentence says it better than its consequence; else it is a code.
  return cause.message.endsWith('.') ? cause.message : `${message} (${cause.message})`;
}
