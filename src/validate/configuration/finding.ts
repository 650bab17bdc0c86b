import type { Outcome } from '../check.ts';

/** The result of one check of the configuration; its name is that of what was checked. */
export type Finding = [outcome: Outcome, detail: string];

/** A finding, and the name of the part that was checked. */
export interface NamedFinding {
  name: string;
  finding: Finding;
}

/** Returns why something failed, in one line without secrets: the reason in words, if a lower layer supplied one. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause, message } = error;
  if (!(cause instanceof Error) || cause.name !== 'StorageError') return message;
  // A whole sentence explains more than its consequence; anything else is a code.
  return cause.message.endsWith('.') ? cause.message : `${message} (${cause.message})`;
}
