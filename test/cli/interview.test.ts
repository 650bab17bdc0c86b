import { generateKeyPairSync } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { providersOf } from '../../src/oauth/settings.ts';
import { emptyFolder, svc } from './support.ts';
import { hasPython, inTerminal, keys } from './terminal.ts';

/** `svc init` in a terminal of its own. */
const interview = (cwd: string, args: string[] = []) => inTerminal(['init', ...args], { cwd });

describe.skipIf(!hasPython)('svc init in a terminal', () => {
  test('writes what a silent run writes when every question is answered with Enter', async () => {
    const [cwd, silent] = [await emptyFolder(), await emptyFolder()];
    await svc(['init', '--yes'], { cwd: silent });
    const { answer, ended, output } = await interview(cwd);
    await answer('What is the name of the application?', keys.enter);
    await answer('At which origin', keys.enter);
    await answer('Where do people find help?', keys.enter);
    await answer('Which database?', keys.enter);
    await answer('Where is it?', keys.enter);
    await answer('How long do people stay signed in?', keys.enter);
    await answer('Which features should be on?', keys.enter);
    await answer('With which identity providers', keys.enter);
    await answer('How are emails sent?', keys.enter);
    await answer('From which address?', keys.enter);
    await answer('Write these files?', keys.enter);
    expect(await ended).toBe(0);
    expect(await readFile(join(cwd, 'svc.toml'), 'utf8')).toBe(
      await readFile(join(silent, 'svc.toml'), 'utf8'),
    );
    const { config } = loadConfig({ cwd, env: {} });
    expect(output()).toContain('SVC_JWT_SECRET=<hidden>');
    expect(output()).not.toContain(config.jwtSecret.reveal());
  });

  test('for a level of assurance asks only for what it cannot know', async () => {
    const cwd = await emptyFolder();
    const { answer, ended, output } = await interview(cwd, ['--assurance', 'aal2']);
    await answer('What is the name of the application?', keys.enter);
    await answer('At which origin', keys.enter);
    await answer('Where do people find help?', 'help@acme.example', keys.enter);
    await answer('Which database?', keys.enter);
    await answer('Where is it?', keys.enter);
    await answer('With which identity providers', keys.enter);
    await answer('How are emails sent?', keys.down, keys.enter);
    await answer('From which address?', 'noreply@acme.example', keys.enter);
    await answer('Which mail server?', 'mail.acme.example', keys.enter);
    await answer('On which port?', '465', keys.enter);
    await answer('As which user?', 'acme', keys.enter);
    await answer('What is the password of acme?', 'hunter2', keys.enter);
    await answer('Write these files?', keys.enter);
    expect(await ended).toBe(0);
    expect(output()).not.toContain('Left for you');
    expect(await svc(['validate', '--assurance', 'aal2'], { cwd })).toMatchObject({ code: 0 });
  });

  test('writes what was answered, and shows it without its secrets first', async () => {
    const cwd = await emptyFolder();
    const { answer, ended, output } = await interview(cwd);
    await answer('What is the name of the application?', 'Acme "Inc"', keys.enter);
    await answer('At which origin', 'nowhere', keys.enter);
    await answer('It must be an origin', keys.erase, 'https://accounts.acme.example', keys.enter);
    await answer('Where do people find help?', 'help@acme.example', keys.enter);
    await answer('Which database?', keys.down, keys.enter);
    await answer('Where is it?', 'postgresql+asyncpg://svc:hunter2@db.acme.example/svc', keys.enter);
    await answer('How long do people stay signed in?', keys.down, keys.down, keys.enter);
    // The first is on by default.
    await answer('Which features should be on?', keys.space, keys.enter);
    // GitHub.
    await answer('With which identity providers', keys.down, keys.space, keys.enter);
    await answer('github: the client id', 'Iv1.of-acme', keys.enter);
    await answer('github: the client secret', 'a-github-secret', keys.enter);
    await answer('How are emails sent?', keys.down, keys.enter);
    await answer('From which address?', 'noreply@acme.example', keys.enter);
    await answer('Which mail server?', 'mail.acme.example', keys.enter);
    await answer('On which port?', '465', keys.enter);
    await answer('As which user?', 'acme', keys.enter);
    await answer('What is the password of acme?', "it's #1 \\", keys.enter);
    await answer('Write these files?', keys.enter);
    expect(await ended).toBe(0);
    const { config } = loadConfig({ cwd, env: {} });
    expect(config).toMatchObject({
      appName: 'Acme "Inc"',
      baseUrl: 'https://accounts.acme.example',
      jwtAudience: 'https://accounts.acme.example',
      supportContact: 'help@acme.example',
      jwtTtlSeconds: 30 * 86_400,
      sessionIdleTtlSeconds: 7 * 86_400,
      requireVerification: false,
      enablePasswordReset: true,
      enableSms2fa: false,
    });
    expect(config.databaseUrl.reveal()).toBe('postgresql+asyncpg://svc:hunter2@db.acme.example/svc');
    const { smtpHost, smtpPort, smtpUsername, smtpPassword } = config.email;
    expect([smtpHost, smtpPort, smtpUsername]).toEqual(['mail.acme.example', 465, 'acme']);
    expect(smtpPassword!.reveal()).toBe("it's #1 \\");
    expect(output()).toContain('https://accounts.acme.example/api/auth/oauth/github/callback');
    const { github } = config.oauth.providers;
    expect([config.enableOauth, github!.kind, github!.clientId]).toEqual([true, 'github', 'Iv1.of-acme']);
    expect(github!.clientSecret!.reveal()).toBe('a-github-secret');
    const preview = output().slice(output().lastIndexOf('svc.toml and svc.secrets.env'));
    expect(preview).toContain('base_url = "https://accounts.acme.example"');
    expect(preview).not.toMatch(/hunter2|it's #1|a-github-secret/);
    expect(await readFile(join(cwd, 'svc.toml'), 'utf8')).not.toMatch(/hunter2|it's #1|a-github-secret/);
  });

  test('asks what each kind of provider needs, and again for what the configuration would refuse', async () => {
    const cwd = await emptyFolder();
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    await writeFile(join(cwd, 'key.p8'), privateKey.export({ type: 'pkcs8', format: 'pem' }));
    const { answer, ended, output } = await interview(cwd);
    await answer('What is the name of the application?', keys.enter);
    await answer('At which origin', keys.enter);
    await answer('Where do people find help?', keys.enter);
    await answer('Which database?', keys.enter);
    await answer('Where is it?', keys.enter);
    await answer('How long do people stay signed in?', keys.enter);
    await answer('Which features should be on?', keys.enter);
    // All but GitHub.
    const { space, down } = keys;
    const marked = [space, down, down, space, down, space, down, space];
    await answer('With which identity providers', ...marked, keys.enter);
    await answer('google: the client id', 'g-id', keys.enter);
    await answer('google: the client secret', 'g-secret', keys.enter);
    await answer('microsoft: the client id', 'm-id', keys.enter);
    await answer('microsoft: the client secret', 'm-secret', keys.enter);
    await answer('microsoft: the tenant', 'con/toso', keys.enter);
    await answer('must be the id or a domain', keys.erase, 'contoso.example', keys.enter);
    await answer('apple: the client id', 'app.service', keys.enter);
    await answer('apple: the team id', 'TEAM123456', keys.enter);
    await answer('apple: the key id', 'KEY1234567', keys.enter);
    await answer('apple: the private key', 'nowhere.p8', keys.enter);
    await answer('ENOENT', keys.erase, 'key.p8', keys.enter);
    await answer('What is the provider called?', 'apple', keys.enter);
    await answer('apple is one of the others already', keys.erase, 'acme', keys.enter);
    await answer('acme: the issuer', 'nowhere', keys.enter);
    await answer('must be an https URL', keys.erase, 'https://id.acme.example', keys.enter);
    await answer('acme: the client id', 'a-id', keys.enter);
    await answer('acme: the client secret', 'a-secret', keys.enter);
    await answer('How are emails sent?', keys.enter);
    await answer('From which address?', keys.enter);
    await answer('Write these files?', keys.enter);
    expect(await ended).toBe(0);
    expect(providersOf(loadConfig({ cwd, env: {} }).config)).toMatchObject([
      { name: 'google', clientId: 'g-id', clientSecret: 'g-secret' },
      { name: 'microsoft', tenant: 'contoso.example', clientId: 'm-id', clientSecret: 'm-secret' },
      { name: 'apple', clientId: 'app.service', teamId: 'TEAM123456', keyId: 'KEY1234567' },
      { name: 'acme', issuer: 'https://id.acme.example', clientId: 'a-id', clientSecret: 'a-secret' },
    ]);
    for (const name of ['google', 'microsoft', 'apple', 'acme']) {
      expect(output()).toContain(`http://localhost:8000/api/auth/oauth/${name}/callback`);
    }
    expect(output()).not.toMatch(/[gma]-secret|PRIVATE KEY/);
  });

  test('writes nothing when somebody presses Ctrl-C, at the first question or the last, or says no', async () => {
    const cwd = await emptyFolder();
    const first = await interview(cwd);
    await first.answer('What is the name of the application?', keys.interrupt);
    expect(await first.ended).toBe(1);
    expect(first.output()).toContain('Nothing was written.');

    for (const last of [[keys.interrupt], ['n']]) {
      const { answer, ended } = await interview(cwd);
      for (const question of [
        'name of the application?',
        'origin',
        'find help?',
        'Which database?',
        'Where is it?',
        'stay signed in?',
        'features should be on?',
        'identity providers',
        'are emails sent?',
        'address?',
      ])
        await answer(question, keys.enter);
      await answer('Write these files?', ...last);
      expect(await ended).toBe(1);
    }
    expect(await readdir(cwd)).toEqual([]);
  });
});
