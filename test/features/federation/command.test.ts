import { expect, test } from 'vitest';
import { svc } from '../../cli/support.ts';

test('svc schema --federation prints the subgraph, whether it is on or off; without it there is none of it', async () => {
  const env = { SVC_ENABLE_FEDERATION: 'true' };
  const [on, off, plain] = await Promise.all([
    svc(['schema', '--federation'], { env }),
    svc(['schema', '--federation']),
    svc(['schema'], { env }),
  ]);
  expect([on.code, off.code, plain.code]).toEqual([0, 0, 0]);
  expect(on.stdout).toMatch(/^extend schema @link\(url: "https:\/\/specs\.apollo\.dev\/federation\/v2\.3"/);
  expect(off.stdout).toBe(on.stdout);
  expect(plain.stdout).not.toMatch(/@|_entities|_Any/);
});
