import { Resolver } from 'node:dns/promises';
import { expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '../../../src/config/load.ts';
import { checkDns } from '../../../src/validate/configuration/dns.ts';
import { type Records, startNameServer } from './name-server.ts';

const jwtSecret = 'a signing secret of the tests of DNS';

/** What is found for mails from `mail.acme.example` and people at `accounts.acme.example` in such a zone. */
async function found(zone: Record<string, Records | 'broken'>, settings = {}) {
  const server = await startNameServer(zone);
  onTestFinished(() => void server.close());
  const resolver = new Resolver({ timeout: 2000, tries: 1 });
  resolver.setServers([server.address]);
  const given = {
    jwtSecret,
    baseUrl: 'https://accounts.acme.example',
    email: { fromAddress: 'noreply@mail.acme.example' },
    ...settings,
  };
  const { config } = loadConfig({ arguments: given, env: {}, cwd: import.meta.dirname });
  return checkDns(config, resolver);
}

const sound: Record<string, Records> = {
  'mail.acme.example': {
    MX: [
      [20, 'second.acme.example'],
      [10, 'first.acme.example'],
    ],
    TXT: ['another=text', ['v=spf1 include:_spf.', 'acme.example -all']],
  },
  '_dmarc.acme.example': { TXT: ['v=DMARC1; p=reject; rua=mailto:postmaster@acme.example'] },
  'accounts.acme.example': { A: ['192.0.2.7'], AAAA: ['2001:0db8:0000:0000:0000:0000:0000:0007'] },
};

test('a domain whose mails can be told from forged ones, and an address that people find', async () => {
  expect(await found(sound)).toEqual([
    ['ok', 'MX: emails to mail.acme.example go to first.acme.example'],
    ['ok', 'SPF: v=spf1 include:_spf.acme.example -all'],
    ['ok', 'DMARC: acme.example asks receivers to reject forged emails'],
    ['ok', 'base_url: accounts.acme.example is at 192.0.2.7, 2001:db8::7'],
  ]);
});

test('nothing at all is said in words', async () => {
  expect(await found({})).toEqual([
    ['warn', expect.stringMatching(/^MX: mail\.acme\.example names no mail server/)],
    ['fail', expect.stringMatching(/^SPF: mail\.acme\.example does not say who may send its emails/)],
    ['fail', expect.stringMatching(/^DMARC: mail\.acme\.example has no policy/)],
    ['fail', expect.stringMatching(/^base_url: accounts\.acme\.example has no address/)],
  ]);
});

test('records that do no good are told', async () => {
  const weak = {
    'mail.acme.example': { MX: [[0, '.']], TXT: ['v=spf1 +all'] } as Records,
    '_dmarc.mail.acme.example': { TXT: ['v=DMARC1; p=none'] },
    'accounts.acme.example': { A: ['192.0.2.7'] },
  };
  expect((await found(weak)).map(([outcome]) => outcome)).toEqual(['warn', 'warn', 'warn', 'ok']);
  const twice = { ...sound, 'mail.acme.example': { TXT: ['v=spf1 -all', 'v=spf1 ~all'] } };
  expect((await found(twice))[1]).toEqual(['fail', expect.stringContaining('has 2 policies')]);
});

test('a name server that fails is not taken for one that knows nothing', async () => {
  const findings = await found({ ...sound, 'accounts.acme.example': 'broken' });
  expect(findings.at(-1)).toEqual(['fail', 'accounts.acme.example: the DNS lookup failed (ESERVFAIL)']);
});

test('a name of this machine alone is not looked up', async () => {
  const local = { baseUrl: 'http://localhost:8000', email: {} };
  expect(await found({}, local)).toEqual([
    ['warn', 'email.from_address is at localhost, which is not a public domain'],
    ['skip', 'base_url: localhost needs no lookup'],
  ]);
});
