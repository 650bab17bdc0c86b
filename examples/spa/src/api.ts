import type { TypedDocumentString } from './operations.ts';
import { session } from './session.ts';

const endpoint = '/api/auth/graphql';

interface Problem {
  message: string;
  extensions?: { code?: string; retryAfter?: number; errors?: { path: string; message: string }[] };
}

/** A refusal. Its code never changes its meaning; its message is for people. */
export class ApiError extends Error {
  readonly code: string;
  /** What is wrong with single fields, by their names. */
  readonly fields: Record<string, string>;

  constructor({ message, extensions }: Problem) {
    super(message);
    this.code = extensions?.code ?? 'unknown';
    this.fields = Object.fromEntries(extensions?.errors?.map(({ path, message }) => [path, message]) ?? []);
    if (extensions?.retryAfter) this.message += ` Try again in ${inWords(extensions.retryAfter)}.`;
  }
}

const inWords = (seconds: number) =>
  seconds < 90 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`;

/** Runs one operation. A session that has ended is forgotten. @throws {ApiError} */
export async function run<Result, Variables>(
  document: TypedDocumentString<Result, Variables>,
  ...[variables]: Variables extends Record<string, never> ? [] : [Variables]
): Promise<Result> {
  const token = session.get();
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      ...(token && { Authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({ query: document.toString(), variables }),
  }).catch(() => {
    throw new ApiError({ message: 'The server can’t be reached. Check your connection and try again.' });
  });
  const answer: { data?: Result; errors?: Problem[] } = await response.json().catch(() => ({}));
  const [problem] = answer.errors ?? [];
  if (problem?.extensions?.code === 'unauthenticated') session.clear();
  if (problem) throw new ApiError(problem);
  if (!answer.data) throw new ApiError({ message: 'The server gave no answer. Try again in a moment.' });
  return answer.data;
}
