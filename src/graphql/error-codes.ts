import { detailOf, errorCodeNames } from '../errors.ts';
import type { Builder } from './builder.ts';

/**
 * Adds the type that lists every error code, and the query that returns it: code generators write only types that a field
 * leads to. As the OpenAPI document, it describes the interface, so it is no operation.
 */
export function addErrorCodes(builder: Builder): void {
  const ErrorCode = builder.enumType('ErrorCode', {
    description: 'What `extensions.code` of an error can be. A code never changes its meaning.',
    values: Object.fromEntries(errorCodeNames.map(code => [code, { description: detailOf(code) }])),
  });
  builder.queryField('errorCodes', t =>
    t.field({
      type: [ErrorCode],
      description:
        'Every code that `extensions.code` of an error can be: select it, and code generators write the type.',
      resolve: () => [...errorCodeNames],
    }),
  );
}
