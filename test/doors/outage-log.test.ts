import { expect, test } from 'vitest';
import { GatehouseError } from '../../src/errors.ts';
import { logFailure } from '../../src/http/response.ts';
import { StorageError } from '../../src/storage/errors.ts';
import { recordingLogger } from '../mail/support.ts';

/** The message of the record of an outage with this cause. */
function messageFor(cause: unknown): string | undefined {
  const logger = recordingLogger();
  logFailure(new GatehouseError('unavailable', { cause }), 'id', logger);
  expect(logger.records).toMatchObject([{ level: 'warn', fields: { request_id: 'id', err: cause } }]);
  return logger.records[0]?.message;
}

test('the record of an outage goes on with what the storage layer says of it, however deep', () => {
  const reason = new StorageError('PostgreSQL at db:5432 is unreachable (ECONNREFUSED).');
  const message = `a dependency is unavailable: ${reason.message}`;
  expect(messageFor(reason)).toBe(message);
  expect(messageFor(new GatehouseError('unavailable', { cause: reason }))).toBe(message);
});

test('the record of another outage repeats nothing of its cause, which may hold anything', () => {
  expect(messageFor(new Error('redis://:hunter2@cache'))).toBe('a dependency is unavailable');
});
