import { expect, test, vi } from 'vitest';
import { createTerminalLog } from '../../src/cli/log.ts';
import { consoleLogger } from '../../src/logger.ts';

const request = { request_id: 'x', method: 'POST', route: '/register', status: 201, duration_ms: 46.3 };

test('a terminal shows a short line a request, and no audit record of what was done', () => {
  const written: string[] = [];
  const log = createTerminalLog('info', text => written.push(text));
  log.info(request, 'request');
  log.info({ ...request, route: null, status: 404, duration_ms: 0.4 }, 'request');
  log.audit?.({ act: 'registerUser' }, 'audit');
  log.info({ signal: 'SIGINT' }, 'stopping');
  log.debug({}, 'not at this level');
  log.warn({ task: 'purge', err: new Error('lost') }, 'work after a response failed');
  expect(written.slice(0, 3)).toEqual([
    'POST /register 201 46 ms\n',
    'POST (no route) 404 0 ms\n',
    'stopping {"signal":"SIGINT"}\n',
  ]);
  expect(written.slice(3)).toEqual([
    expect.stringMatching(
      /^warn: work after a response failed \{"task":"purge","err":\{"type":"Error","message":"lost".*\}\}\n$/,
    ),
  ]);
});

test("a host's console gets each record as one line, and a mail with nothing behind it", () => {
  const info = vi.spyOn(console, 'info').mockImplementation(() => {});
  const mail = 'mail to ann@example.org: Hello\n\nhttps://app.example/verify?token=x';
  consoleLogger.info({ act: 'login', outcome: 'ok', reason: null }, 'audit');
  consoleLogger.info({ err: new Error('lost', { cause: new TypeError('why') }) }, 'failed');
  consoleLogger.info({ to: 'ann@example.org', subject: 'Hello' }, mail);
  const lines = info.mock.calls.map(([line]) => line);
  info.mockRestore();
  expect(lines).toEqual([
    'gatehouse: audit {"act":"login","outcome":"ok","reason":null}',
    expect.stringMatching(
      /^gatehouse: failed \{"err":\{"type":"Error","message":"lost",.*"type":"TypeError".*\}\}$/,
    ),
    `gatehouse: ${mail}`,
  ]);
});
