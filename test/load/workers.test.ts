import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { describe, expect, test } from 'vitest';
import { logRecords, serve, svc } from '../cli/support.ts';

const ada = { email: 'ada@example.org', password: 'correct horse' };
const env = { SVC_DATABASE_URL: 'sqlite:///./svc.db', SVC_REQUIRE_VERIFICATION: 'false' };

const post = async (url: string, body: object) => {
  const headers = { 'Content-Type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  return { status: response.status, body: await response.json() };
};

/** Session checks one after the other over connections that stay open, until it is told to stop. */
function steadily(api: string, token: string, clients: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const outcomes: Record<string, number> = {};
  let stopped = false;
  const once = () =>
    new Promise<string>(resolve => {
      const headers = { Authorization: `Bearer ${token}` };
      const sent = request(`${api}/me`, { agent, headers }, answer => {
        answer.resume().once('end', () => resolve(String(answer.statusCode)));
      });
      sent.once('error', error => resolve((error as NodeJS.ErrnoException).code ?? error.message)).end();
    });
  const running = Array.from({ length: clients }, async () => {
    while (!stopped) {
      const outcome = await once();
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
      await new Promise(resolve => setTimeout(resolve, 5));
    }
  });
  return async () => {
    stopped = true;
    await Promise.all(running);
    agent.destroy();
    return outcomes;
  };
}

describe('svc serve with several workers', () => {
  test.runIf(process.platform === 'linux').each([
    ['starts them with a bound of young objects', {}, ['--max-semi-space-size=4']],
    ['leaves a bound of the operator’s as it is', { NODE_OPTIONS: '--max-semi-space-size=8' }, []],
  ])('%s', async (_, options, flags) => {
    const { written } = await serve(['--workers', '1'], { env: { ...env, ...options } });
    const output = await written(/"a worker serves"/);
    const { pid } = logRecords(output.input!).find(({ msg }) => msg === 'a worker serves')!;
    const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    expect(words.filter(word => word.includes('semi'))).toEqual(flags);
  });

  test('serves as one, replaces all without a failed request, and one that dies', async () => {
    const { api, origin, written, signal, stop } = await serve(['--workers', '2'], { env });
    expect((await post(`${api}/register`, ada)).status).toBe(201);
    const { body } = await post(`${api}/login`, ada);

    const end = steadily(api, body.access_token, 8);
    signal('SIGHUP');
    await written(/"replaced the workers"/);
    const outcomes = await end();
    expect(Object.keys(outcomes)).toEqual(['200']);

    const output = await written(/"replaced the workers"[\s\S]*/);
    const pids = logRecords(output.input!).filter(({ msg }) => msg === 'a worker serves');
    expect(pids.map(({ worker }) => worker).toSorted()).toEqual([1, 1, 2, 2]);
    process.kill(pids.at(-1)!.pid as number, 'SIGKILL');
    await written(/"a worker died and is replaced"[\s\S]*"a worker serves"/);
    // The successor knows every change that was acknowledged before.
    const headers = { Authorization: `Bearer ${body.access_token}` };
    const answers = await Promise.all(Array.from({ length: 8 }, () => fetch(`${api}/me`, { headers })));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect((await fetch(`${origin}/readyz`)).status).toBe(200);

    const { code, output: all } = await stop();
    expect(code).toBe(0);
    expect(all.match(/^listening on /gm)).toHaveLength(1);
    expect(all.match(/^read /gm)).toHaveLength(1);
  });

  test('says once what keeps them from starting', async () => {
    const env = { SVC_DATABASE_URL: 'sqlite:///./no/such/folder/svc.db' };
    const failure = await serve(['--workers', '3'], { env }).catch((error: Error) => error.message);
    expect(String(failure).match(/The folder of the SQLite file .* does not exist/g)).toHaveLength(1);
    expect(failure).toContain('The workers could not be started.');

    const inMemory = await svc(['serve', '--workers', '2'], {
      env: { SVC_DATABASE_URL: 'sqlite:///:memory:' },
    });
    const tooFew = await svc(['serve', '--workers', '0']);
    expect([inMemory.code, tooFew.code]).toEqual([1, 1]);
    expect(inMemory.stderr).toContain('Each worker would have a database of its own');
    expect(tooFew.stderr).toContain('It must be a number from 1 to 64.');
  });
});
