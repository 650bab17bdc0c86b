import { expect } from 'vitest';
import type { Reply } from '../support/app.ts';

/** Returns the codes of the errors of a reply. */
export const codesOf = ({ body }: Reply) =>
  body.errors?.map((error: { extensions: { code: string } }) => error.extensions.code);

/** Asserts that a document was refused before any of it was executed. */
export function expectInvalidDocument(reply: Reply): void {
  expect(reply.body).not.toHaveProperty('data');
  expect(new Set(codesOf(reply))).toEqual(new Set(['invalid_document']));
}
