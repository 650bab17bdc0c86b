import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { emptyFolder, svc } from '../cli/support.ts';
import { startApp } from '../support/app.ts';

/** A folder whose configuration says this. */
async function folderWith(toml: string): Promise<string> {
  const cwd = await emptyFolder();
  await writeFile(join(cwd, 'svc.toml'), toml);
  return cwd;
}

const weak = 'rate_limit_disabled = true\njwt_ttl_seconds = 2592000\n';

describe('svc validate --assurance', () => {
  test('says of each level what is met, and of each requirement that is not what would mend it', async () => {
    const { code, stdout } = await svc(['validate', '--assurance'], { cwd: await folderWith(weak) });
    expect(code).toBe(0);
    for (const level of ['asvs-1', 'asvs-2', 'asvs-3', 'aal1', 'aal2'])
      expect(stdout).toMatch(
        new RegExp(`^${level}  \\d+ of \\d+ met, \\d+ do not arise, \\d+ fall on your pages$`, 'm'),
      );
    expect(stdout).toContain(
      '  asvs/6.3.1  Guessing is stopped as the documents say\n    set rate_limit_disabled = false\n',
    );
    expect(stdout).toContain('    set jwt_ttl_seconds = 7200\n');
    expect(stdout).toMatch(/asvs\/10\.3\.5 .*\n {4}not met: Tokens are bearer tokens/);
  });

  test('fails where the level that is named is not reached, and not by what no setting mends', async () => {
    const cwd = await folderWith(weak);
    const named = await svc(['validate', '--assurance', 'asvs-1'], { cwd });
    expect(named).toMatchObject({ code: 1 });
    expect(named.stdout).not.toContain('jwt_ttl_seconds');
    const enough = await folderWith('password_blocklist = true\nreplace_session_at_sign_in = true\n');
    const reached = await svc(['validate', '--assurance', 'asvs-1'], { cwd: enough });
    expect(reached).toMatchObject({
      code: 0,
      stdout: 'asvs-1  20 of 22 met, 0 do not arise, 2 fall on your pages\n',
    });
  });

  test('prints one document, which a program gets, too', async () => {
    const cwd = await folderWith(weak);
    const { code, stdout } = await svc(['validate', '--assurance', '--json'], { cwd });
    expect(code).toBe(0);
    const document = JSON.parse(stdout);
    expect(Object.keys(document)).toEqual(['standards', 'levels', 'requirements']);
    const { standards } = document;
    for (const { id } of document.requirements) expect(Object.keys(standards)).toContain(id.split('/')[0]);
    expect(document.requirements.find(({ id }: { id: string }) => id === 'asvs/6.3.1')).toEqual({
      id: 'asvs/6.3.1',
      levels: ['asvs-1', 'asvs-2', 'asvs-3'],
      state: 'unmet',
      words: 'Guessing is stopped as the documents say',
      fix: [{ key: 'rate_limit_disabled', write: false }],
      tests: expect.arrayContaining([expect.stringMatching(/^limits\/lockout\.test\.ts: /)]),
    });

    const app = await startApp({ settings: { rateLimitDisabled: true, jwtTtlSeconds: 2_592_000 } });
    const { levels, requirements } = await app.gatehouse.assurance();
    await app.close();
    // The app gives a mailer, which counts as one of the configuration.
    const mailed = ['asvs/6.3.7', '63b/4.1.2.1#notice', '63b/4.2.1#method', '63b/4.2.3#notice'];
    const states = (all: typeof requirements) => new Map(all.map(each => [each.id, each.state]));
    const [ofCommand, ofProgram] = [states(document.requirements), states(requirements)];
    const differing = [...ofCommand].filter(([id, state]) => ofProgram.get(id as never) !== state);
    expect(differing.map(([id]) => id)).toEqual(mailed.filter(id => ofCommand.get(id as never) === 'unmet'));
    expect(levels['asvs-1']).toEqual(document.levels['asvs-1']);
  });

  test.each([
    [['asvs-4'], 'There is no level asvs-4. The levels are asvs-1, asvs-2, asvs-3, aal1, aal2.'],
    [['--check-dns'], "can't be combined with --assurance"],
    [['--send-test-email', 'a@example.org'], "can't be combined with --assurance"],
    [['--url', 'https://id.example.org/api/auth'], "can't be combined with --url"],
  ])('is not understood with %j', async (args, message) => {
    const { code, stdout, stderr } = await svc(['validate', '--assurance', ...args]);
    expect(code).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toContain(message);
  });

  test('asks neither the database nor the network, and reports what is wrong in the configuration', async () => {
    const nowhere = 'database_url = "postgresql://nobody@127.0.0.1:1/none"\n';
    expect(await svc(['validate', '--assurance'], { cwd: await folderWith(nowhere) })).toMatchObject({
      code: 0,
    });
    const wrong = await svc(['validate', '--assurance'], { cwd: await folderWith('port = "x"\n') });
    expect(wrong).toMatchObject({ code: 1, stdout: '' });
    expect(wrong.stderr).toContain('svc.toml: port: must be a whole number');
  });
});
