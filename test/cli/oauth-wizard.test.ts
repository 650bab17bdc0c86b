import { generateKeyPairSync } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { mergeSecrets, mergeToml, type OAuthSettings } from '../../src/cli/merge-files.ts';
import { settingsOf, targetOf } from '../../src/cli/oauth-questions.ts';
import { runWizard } from '../../src/cli/oauth-wizard.ts';
import { loadConfig } from '../../src/config/load.ts';
import { providersOf } from '../../src/oauth/settings.ts';
import { emptyFolder } from './support.ts';

const key = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  .privateKey.export({ type: 'pkcs8', format: 'pem' })
  .toString();
// A browser ends the lines of a text area so.
const posted = key.replaceAll('\n', '\r\n');
const secret = { client_id: 'the-id', client_secret: 'the-secret' };
const apple = { client_id: 'app.service', team_id: 'T', key_id: 'K', private_key: posted };

/** The page of a provider, answered to with each form until one is taken. */
async function fillIn(name: string, forms: Record<string, string>[], answers = {}) {
  const target = targetOf(name);
  const shown = Promise.withResolvers<string>();
  const log = vi.spyOn(console, 'log').mockImplementation(shown.resolve);
  let settings: OAuthSettings | undefined;
  const saved = runWizard({
    ...{ target, answers },
    async save(given, autoLink) {
      settings = settingsOf(target, given, autoLink);
    },
  });
  const [address] = /http:\S+/.exec(await shown.promise)!;
  log.mockRestore();
  const { origin, searchParams } = new URL(address);
  const pages = [await (await fetch(address)).text()];
  for (const form of forms) {
    const body = new URLSearchParams({ token: searchParams.get('token')!, ...form });
    pages.push(await (await fetch(origin, { method: 'POST', headers: { Origin: origin }, body })).text());
  }
  await saved;
  return { pages, settings: settings! };
}

/** The names of the fields of a page, those that may be empty with a question mark. */
const fieldsOf = (page: string) =>
  [...page.matchAll(/<(?:input|textarea) name="(\w+)" (required)?/g)]
    .filter(([, name]) => name !== 'auto_link')
    .map(([, name, required]) => (required ? name : `${name}?`));

test.each([
  ['google', ['client_id', 'client_secret'], secret, { kind: 'oidc', clientId: 'the-id' }],
  ['github', ['client_id', 'client_secret'], secret, { kind: 'github', clientSecret: 'the-secret' }],
  [
    ...(['microsoft', ['client_id', 'client_secret', 'tenant?']] as const),
    { ...secret, tenant: 'contoso.example' },
    { kind: 'microsoft', tenant: 'contoso.example' },
  ],
  ['apple', ['client_id', 'team_id', 'key_id', 'private_key'], apple, { kind: 'apple', privateKey: key }],
  [
    ...(['acme', ['issuer', 'client_id', 'client_secret']] as const),
    { ...secret, issuer: 'https://id.acme.example' },
    { kind: 'oidc', issuer: 'https://id.acme.example' },
  ],
] as const)(
  'the page of %s asks for %j, and what is entered there can be loaded',
  async (name, fields, form, provider) => {
    const { pages, settings } = await fillIn(name, [form]);
    expect(fieldsOf(pages[0]!)).toEqual(fields);
    expect(pages[0]).toContain(`Set up sign-in with ${name}`);
    expect(pages.at(-1)).toContain('Done');
    const cwd = await emptyFolder();
    await writeFile(join(cwd, 'svc.toml'), mergeToml('', settings));
    const secrets = mergeSecrets(`SVC_JWT_SECRET=${'x'.repeat(40)}\n`, settings);
    await writeFile(join(cwd, 'svc.secrets.env'), secrets, { mode: 0o600 });
    expect(providersOf(loadConfig({ cwd, env: {} }).config)).toMatchObject([{ name, ...provider }]);
  },
);

test('the page says what is wrong, keeps what was entered, and sends no secret back', async () => {
  const wrong = { ...apple, private_key: 'no key' };
  const { pages } = await fillIn('apple', [{ ...apple, key_id: '' }, wrong, apple], {
    team_id: 'TEAM123456',
  });
  expect(pages[0]).toContain('name="team_id" required size="60" value="TEAM123456"');
  expect(pages[1]).toContain('<p role="alert"><strong>The key id is missing');
  expect(pages[2]).toContain('The private key is not the key that Apple gave you');
  for (const page of pages) expect(page).not.toMatch(/PRIVATE KEY|no key/);
  expect(pages[2]).toContain('value="app.service"');
  const { pages: acme } = await fillIn('acme', [
    { ...secret, issuer: 'http://id.acme.example' },
    { ...secret, issuer: 'https://id.acme.example' },
  ]);
  expect(acme[1]).toContain('The issuer must be an https URL');
  expect(acme[1]).not.toContain('the-secret');
});
