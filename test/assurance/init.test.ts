import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { judgeNew } from '../../scripts/docs/assurance.ts';
import { type Level, levelNames } from '../../src/assurance/needs.ts';
import { profileOf } from '../../src/assurance/profile.ts';
import { withProfile } from '../../src/cli/profile-toml.ts';
import { emptyFolder, svc } from '../cli/support.ts';

/** The values that an operator fills in. */
const filledIn = {
  SVC_EMAIL__BACKEND: 'smtp',
  SVC_EMAIL__SMTP_HOST: 'mail.example.org',
  SVC_SUPPORT_CONTACT: 'help@example.org',
};

/** The requirements of a level that no configuration meets: closing one is an edit here. */
const unmet: Record<Level, string[]> = {
  'asvs-1': [],
  'asvs-2': [],
  'asvs-3': ['asvs/6.3.3#hardware', 'asvs/10.3.5'],
  aal1: ['63b/4.2.1.2#two-addresses', '63b/4.6#two-addresses'],
  aal2: ['63b/4.2.1.2#two-addresses', '63b/4.2.2.2#aal2', '63b/4.6#two-addresses'],
};

describe('svc init --assurance', () => {
  test.each(levelNames)('%s writes what svc validate --assurance takes for that level', async level => {
    const cwd = await emptyFolder();
    expect(await svc(['init', '--yes', '--assurance', level], { cwd })).toMatchObject({ code: 0 });
    const { code, stdout } = await svc(['validate', '--assurance', level, '--json'], { cwd, env: filledIn });
    expect(code).toBe(0);
    const { levels, requirements } = JSON.parse(stdout);
    expect(levels[level].failing).toBe(0);
    const here = requirements.filter(
      (each: { levels: string[]; state: string }) => each.levels.includes(level) && each.state === 'unmet',
    );
    expect(here.map(({ id }: { id: string }) => id)).toEqual(unmet[level]);
  });

  test('comments each setting with the requirements that need it, once', async () => {
    const cwd = await emptyFolder();
    const { stdout } = await svc(['init', '--yes', '--assurance', 'asvs-3'], { cwd });
    const lines = (await readFile(join(cwd, 'svc.toml'), 'utf8')).split('\n');
    for (const { key, ids } of profileOf('asvs-3')) {
      if (key.includes('*')) continue;
      const name = key.split('.').at(-1)!;
      const at = lines.findIndex(line => line.replace(/^# /, '').startsWith(`${name} = `));
      expect(lines[at - 1], key).toBe(`# ${ids.join(', ')}`);
    }
    // Only the operator knows what stays commented out.
    expect(lines).toContain('# backend = "smtp"');
    expect(lines).toContain('backend = "console"');
    expect(stdout).toContain('Left for you, because only you know the value: email.backend.\n');
    const settings = lines.filter(line => /^\w+ = /.test(line)).map(line => line.split(' = ')[0]!);
    expect(settings).toEqual([...new Set(settings)]);
  });

  test('leaves alone what was answered, and sets the age of sign-ins at each provider that says it', () => {
    const file = [
      'support_contact = "we@example.org"',
      '[email]',
      'backend = "ses"',
      '[oauth.providers.acme]',
      'kind = "oidc"',
      '[oauth.providers.hub]',
      'kind = "github"',
    ].join('\n');
    const { text, left } = withProfile(file, profileOf('aal2'), 'https://id.example.org');
    expect(left).toEqual([]);
    expect(text).toMatch(/# 63b\/4\.6#contact\nsupport_contact = "we@example\.org"\n/);
    expect(text).toMatch(/\nbackend = "ses"\n/);
    expect(text).toMatch(/\[oauth\.providers\.acme\]\nkind = "oidc"\n# .*\nmax_age_seconds = 86400\n/);
    expect(text).not.toMatch(/kind = "github"\n# .*\nmax_age/);
  });

  test('without a level, svc init writes what ASVS level 1 needs', async () => {
    const cwd = await emptyFolder();
    await svc(['init', '--yes'], { cwd });
    expect(await svc(['validate', '--assurance', 'asvs-1'], { cwd })).toMatchObject({ code: 0 });
    expect(await readFile(join(cwd, 'svc.toml'), 'utf8')).not.toContain('asvs/');
  });

  test('of an unknown level writes nothing', async () => {
    const cwd = await emptyFolder();
    const { code, stdout, stderr } = await svc(['init', '--yes', '--assurance', 'asvs-4'], { cwd });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('There is no level asvs-4.');
  });
});

// The numbers stand here, so that whatever changes one of them is seen: of each level those that apply, are met, do not arise,
// fall on the host, and fail. With text messages on, ASVS level 3 asks for their end.
test('so many requirements are met', () => {
  const everything = {
    ...{ SVC_ENABLE_UI_ROUTER: 'true', SVC_ENABLE_SMS_2FA: 'true', SVC_ENABLE_TOKENS: 'true' },
    ...{ SVC_ENABLE_OAUTH: 'true', SVC_OAUTH__GOOGLE_CLIENT_ID: 'x', SVC_OAUTH__GOOGLE_CLIENT_SECRET: 'x' },
  };
  const countsOf = ({ levels }: ReturnType<typeof judgeNew>) =>
    levelNames.map(level => {
      const { applicable, met, not_arising, host, failing } = levels[level];
      return [level, applicable, met, not_arising, host, failing];
    });
  expect(countsOf(judgeNew(null))).toEqual([
    ['asvs-1', 22, 20, 0, 2, 0],
    ['asvs-2', 70, 43, 18, 3, 6],
    ['asvs-3', 84, 53, 19, 3, 7],
    ['aal1', 67, 47, 11, 3, 4],
    ['aal2', 73, 51, 11, 3, 5],
  ]);
  expect(countsOf(judgeNew('asvs-3', everything))).toEqual([
    ['asvs-1', 22, 22, 0, 0, 0],
    ['asvs-2', 70, 70, 0, 0, 0],
    ['asvs-3', 84, 81, 0, 0, 1],
    ['aal1', 67, 63, 1, 0, 1],
    ['aal2', 73, 68, 1, 0, 1],
  ]);
  expect(countsOf(judgeNew('aal2', everything))).toEqual([
    ['asvs-1', 22, 22, 0, 0, 0],
    ['asvs-2', 70, 64, 0, 0, 6],
    ['asvs-3', 84, 74, 0, 0, 8],
    ['aal1', 67, 64, 1, 0, 0],
    ['aal2', 73, 69, 1, 0, 0],
  ]);
});
