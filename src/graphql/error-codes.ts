import { detailOf, errorCodeNames } from '../errors.ts';
import type { Builder } from './builder.ts';

/** Adds the type that lists every error code. No field returns it: it tells code generators what `extensions.code` can be. */
export function addErrorCodes(builder: Builder): void {
  builder.enumType('ErrorCode', {
    description: 'What `extensions.code` of an error can be. A code never changes its meaning.',
    values: Object.fromEntries(errorCodeNames.map(code => [code, { description: detailOf(code) }])),
  });
}
