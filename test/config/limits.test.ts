import { describe, expect, test } from 'vitest';
import { load, problemOf } from './support.ts';

const env = (text: string) => ({ env: { SVC_LOGIN_RATE_LIMIT: text } });

describe('limit expressions', () => {
  test.each([
    ['10/minute', [{ count: 10, seconds: 60 }]],
    [
      '10/minute;100/hour',
      [
        { count: 10, seconds: 60 },
        { count: 100, seconds: 3600 },
      ],
    ],
    [' 1 / 15 Minutes ; 5/day', [{ count: 1, seconds: 900 }, expect.objectContaining({ seconds: 86_400 })]],
    ['3/2 seconds', [{ count: 3, seconds: 2 }]],
    ['', []],
    ['  ', []],
  ])('%j is read', (text, items) => {
    expect(load(env(text)).config.loginRateLimit).toEqual(items);
  });

  test.each(
    // One mistake each.
    [
      ...['10', '10/', '/minute', '0/minute', '10/0 minutes', '-1/minute', '1.5/minute', '10/week'],
      ...['10/minute,5/hour', '10/minute;', '10 per minute', '9999999999999999/day'],
    ],
  )('%j is refused', text => {
    expect(problemOf(env(text))).toContain('SVC_LOGIN_RATE_LIMIT: must be limits');
  });
});
