import { expect, test } from 'vitest';
import { consoleSender } from '../../src/sms/console.ts';
import { recordingLogger } from '../mail/support.ts';

const text = { to: '+4915112345678', text: 'Your Acme code: 987012' };

test('the code stands at DEBUG alone unless bodies are to be logged', async () => {
  const logger = recordingLogger();
  await consoleSender({ logger, logBodies: false }).send(text);
  expect(logger.records.map(({ level }) => level)).toEqual(['info', 'debug']);
  expect(JSON.stringify(logger.records[0])).not.toContain('987012');
  expect(logger.records[1]!.fields).toEqual({ to: text.to, body: text.text });
});

test('bodies that are to be logged stand in one line, at INFO', async () => {
  const logger = recordingLogger();
  await consoleSender({ logger, logBodies: true }).send(text);
  const message = 'text message to +4915112345678: Your Acme code: 987012';
  expect(logger.records).toEqual([{ level: 'info', fields: { to: text.to }, message }]);
});

test('plain lines are written where there is a place for them, with the code only when told so', async () => {
  const logger = recordingLogger();
  const written: string[] = [];
  const write = (line: string) => void written.push(line);
  await consoleSender({ logger, logBodies: true, write }).send(text);
  await consoleSender({ logger, logBodies: false, write }).send(text);
  expect(written).toEqual([
    'text message to +4915112345678: Your Acme code: 987012\n',
    'text message to +4915112345678\n',
  ]);
  expect(logger.records.map(({ level }) => level)).toEqual(['debug']);
});
