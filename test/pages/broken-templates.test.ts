import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { createGatehouse, type GatehouseOptions } from '../../src/gatehouse.ts';
import { jwtSecret } from '../support/app.ts';

// Templates of the host that cannot be rendered stop the start, because a mail that is never sent reports no error.

/** A directory of a host, with these templates. */
function templates(files: Record<string, string>): string {
  const dir = mkdtempSync(join(inject('temporaryFolder'), 'views-'));
  for (const [name, source] of Object.entries(files)) {
    mkdirSync(join(dir, name, '..'), { recursive: true });
    writeFileSync(join(dir, name), source);
  }
  return dir;
}

/** Starts an instance; returns what refused it, in lines, or nothing. */
async function refusal(extraTemplateDirs: string[], settings: GatehouseOptions = {}): Promise<string[]> {
  const logger = { debug() {}, info() {}, warn() {}, error() {} };
  const database = { jwtSecret, databaseUrl: 'sqlite+aiosqlite:///:memory:', logger };
  const options = { ...database, enableUiRouter: true, extraTemplateDirs, ...settings };
  try {
    await (await createGatehouse(options)).close();
    return [];
  } catch (error) {
    expect((error as Error).name).toBe('ConfigError');
    return (error as Error).message.split('\n');
  }
}

test.each([
  ['a tag that is not closed', '{{ app_name }}\n{% if url %}', 'line 2: tag {% if url %} not closed'],
  ['an output that is not closed', 'one\ntwo\n{{ url', 'line 3: output "{{ url" not closed'],
  ['a tag that does not exist', '{% frobnicate %}', 'line 1: tag "frobnicate" not found'],
  ['a filter that does not exist', '\n{{ url | uper }}', 'line 2: undefined filter: uper'],
  [
    'a partial that is not there',
    "{% render 'mail/none.liquid' %}",
    /line 1: ENOENT: .*"mail\/none\.liquid"/,
  ],
])('a mail template with %s stops the start and names file, line and reason', async (_, source, reason) => {
  const dir = templates({ 'mail/verification.text.liquid': source });
  const [line, ...more] = await refusal([dir]);
  expect(more).toEqual([]);
  const where = `${join(dir, 'mail/verification.text.liquid')}: `;
  expect(line?.startsWith(where)).toBe(true);
  expect(line?.slice(where.length)).toEqual(
    typeof reason === 'string' ? reason : expect.stringMatching(reason),
  );
});

test('all templates that cannot be rendered are named at once, each one once', async () => {
  const dir = templates({
    'mail/phone-set.subject.liquid': '{% if',
    'pages/login.liquid': '{{ app_name | frob }}',
    // Part of every page.
    'pages/layout.liquid': '{% block content %}',
  });
  const lines = await refusal([dir]);
  expect(lines.map(line => line.slice(dir.length + 1).split(':')[0]).sort()).toEqual([
    'mail/phone-set.subject.liquid',
    'pages/layout.liquid',
    'pages/login.liquid',
  ]);
});

test('a page that is switched off does not stop the start', async () => {
  const dir = templates({ 'pages/admin.liquid': '{% if' });
  expect(await refusal([dir])).toEqual([]);
  expect(await refusal([dir], { enableAdminRouter: true })).toEqual([
    expect.stringContaining('admin.liquid'),
  ]);
  expect(await refusal([dir], { enableAdminRouter: true, enableUiRouter: false })).toEqual([]);
});

test('a directory that is not there, or is none, stops the start', async () => {
  const dir = templates({ 'pages/login.liquid': 'ours' });
  expect(await refusal([dir, `${dir}-mistyped`, join(dir, 'pages/login.liquid')])).toEqual([
    `extra_template_dirs: ${dir}-mistyped: There is no such directory.`,
    `extra_template_dirs: ${join(dir, 'pages/login.liquid')}: It is a file, not a directory.`,
  ]);
});
