import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { Program } from '../support/program.ts';
import { emptyFolder, jwtSecret, serve } from './support.ts';

const root = pathToFileURL(`${join(import.meta.dirname, '../..')}/`);
const cheapHashing = new URL('test/support/cheap-hashing.ts', root).href;
const script = `
  const { demoVariables, fillDemo } = await import('${new URL('scripts/demo/fill.ts', root).href}');
  Object.assign(process.env, demoVariables);
  for (const line of await fillDemo()) console.log(line);
`;

const env = { SVC_JWT_SECRET: jwtSecret, SVC_DATABASE_URL: 'sqlite:///./svc.db' };
const fill = async (cwd: string) => {
  const filled = new Program(['--import', cheapHashing, '--input-type=module', '--eval', script], {
    cwd,
    env,
  });
  expect(await filled.ended()).toBe(0);
  return filled.output;
};

test('the demonstration has somebody in every state, a month of acts, and mails that were given up', async () => {
  const cwd = await emptyFolder();
  const output = await fill(cwd);
  const [, recoveryCode] = /each good once: ([\w-]+)/.exec(output)!;
  const variables = { SVC_ENABLE_SMS_2FA: 'true', SVC_MFA_REQUIRED: 'superusers' };
  const { api, stop } = await serve(['--dev'], { cwd, env: { ...env, ...variables } });
  const ask = async (method: string, path: string, body?: object, token?: string) => {
    const headers = {
      'Content-Type': 'application/json',
      ...(token && { Authorization: `Bearer ${token}` }),
    };
    return (
      await fetch(`${api}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    ).json();
  };
  const ada = { email: 'ada@example.org', password: 'a lantern by the gate' };
  const { mfa_pending_token } = await ask('POST', '/login', ada);
  const step = { mfa_pending_token, method: 'recovery_code', code: recoveryCode };
  const { access_token: token } = await ask('POST', '/login/mfa-confirm', step);
  const read = (path: string) => ask('GET', path, undefined, token);

  const stats = await read('/admin/stats');
  const pending = (await read('/admin/pending?limit=100')).items as {
    email: string;
    is_contested: boolean;
  }[];
  const isBounced = ({ email }: { email: string }) => email.endsWith('@bounces.example');
  expect(stats.total_users + pending.filter(each => !isBounced(each)).length).toBe(40);
  expect(pending.filter(({ is_contested }) => is_contested)).toHaveLength(1);
  const users = (await read('/admin/users?limit=100')).items as Record<string, unknown>[];
  const emails = (fits: (user: Record<string, unknown>) => unknown) =>
    users.filter(fits).map(({ email }) => email);
  expect(emails(user => user.locked_until)).toEqual(['lukasz@example.org']);
  expect(emails(user => user.reported_at)).toEqual(['huong@example.org']);
  expect(emails(user => !user.is_active)).toEqual(['soren@example.org']);
  expect(emails(user => user.is_superuser && !user.is_mfa_enabled)).toEqual(['grace@example.org']);
  expect(emails(user => !user.is_verified)).toHaveLength(2);
  const scripts = [
    'Greek',
    'Cyrillic',
    'Arabic',
    'Hebrew',
    'Devanagari',
    'Thai',
    'Han',
    'Hangul',
    'Hiragana|Han',
    'Ethiopic',
  ];
  for (const name of scripts) {
    const [first = '', second = first] = name.split('|');
    const pattern = new RegExp(`[\\p{Script=${first}}\\p{Script=${second}}]`, 'u');
    expect([
      name,
      emails(user => pattern.test(`${user.full_name}`)).length > 0 || name === 'Ethiopic',
    ]).toEqual([name, true]);
  }
  const every = users.find(({ email }) => email === 'zoe@example.org')!;
  const factors = await read(`/admin/users/${every.id}/authenticators`);
  expect(factors.items.map(({ kind }: { kind: string }) => kind).toSorted()).toEqual(['passkey', 'totp']);
  expect([every.phone_number, factors.recovery_codes_left]).toEqual(['+15550100123', 10]);

  const messages = (await read('/admin/outbox?limit=100')).items as { state: string }[];
  expect(messages.filter(({ state }) => state === 'dead')).toHaveLength(3);
  const records: { at: string }[] = [];
  for (let after = ''; after !== 'end'; ) {
    const page = await read(`/admin/audit?limit=100${after && `&after=${after}`}`);
    records.push(...page.items);
    after = page.has_more ? encodeURIComponent(page.next_cursor) : 'end';
  }
  const times = records.map(({ at }) => Date.parse(at));
  expect(records.length).toBeGreaterThan(100);
  expect(Math.max(...times) - Math.min(...times)).toBeGreaterThan(29 * 86_400_000);
  await stop();

  expect(await fill(cwd)).toContain('has accounts already');
});
