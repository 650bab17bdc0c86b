import { context, SpanStatusCode, trace } from '@opentelemetry/api';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { afterAll, expect, test, vi } from 'vitest';
import { signUpByMail, startApp } from '../support/app.ts';

const exporter = new InMemorySpanExporter();
trace.setGlobalTracerProvider(
  new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }),
);
afterAll(() => {
  trace.disable();
  context.disable();
});

test('a host that has set OpenTelemetry up gets a span an operation, and nothing of whom', async () => {
  const app = await startApp();
  exporter.reset();
  const { email, token } = await signUpByMail(app);
  await app.rest('POST', '/login', { email, password: 'a wrong one' });
  vi.spyOn(app.gatehouse.repositories.users, 'change').mockRejectedValueOnce(new Error('planted'));
  await app.rest('PATCH', '/me', { full_name: 'Planted Name' }, { token });
  const spans = exporter.getFinishedSpans().map(({ name, attributes, status }) => ({
    name,
    ...attributes,
    isError: status.code === SpanStatusCode.ERROR,
  }));
  const span = (operation: string, outcome: string, isError = false) => ({
    name: `gatehouse.${operation}`,
    'gatehouse.operation': operation,
    'gatehouse.outcome': outcome,
    isError,
  });
  expect(spans).toEqual([
    span('register', 'ok'),
    span('verify', 'ok'),
    span('login', 'ok'),
    span('login', 'invalid_credentials'),
    span('updateProfile', 'internal_error', true),
  ]);
  expect(exporter.getFinishedSpans().every(({ events }) => events.length === 0)).toBe(true);
  await app.close();
});
