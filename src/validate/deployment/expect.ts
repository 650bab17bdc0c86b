import { CheckFailure } from '../check.ts';
import type { Answer } from './client.ts';

/** @throws {CheckFailure} unless the response has this status; with a `code`, it must be this error of the catalogue */
export function expectAnswer(answer: Answer, status: number, code?: string): void {
  if (answer.status === status && (code === undefined || codeOf(answer) === code)) return;
  const wanted = code === undefined ? status : `${status} ${code}`;
  throw new CheckFailure(`${described(answer)}, not ${wanted}`);
}

/** @throws {CheckFailure} with this message unless the condition holds */
export function expectThat(condition: boolean, message: string): asserts condition {
  if (!condition) throw new CheckFailure(message);
}

/** Returns a description of a response, without anything of the body but its code: it may hold tokens. */
export function described(answer: Answer): string {
  const code = codeOf(answer);
  const retry =
    answer.status === 429 ? `, to be tried again in ${answer.headers['retry-after'] ?? '?'} seconds` : '';
  return `${answer.asked} returned ${answer.status}${code ? ` ${code}` : ''}${retry}`;
}

export function codeOf({ body }: Answer): string | null {
  const code = body?.code;
  return typeof code === 'string' && /^\w{1,40}$/.test(code) ? code : null;
}

/** Returns the code of the first error of a response of GraphQL. */
export const errorOf = ({ body }: Pick<Answer, 'body'>): unknown => body?.errors?.[0]?.extensions?.code;
