import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { isLoopbackHost } from '../../config/loopback.ts';
import type { Config } from '../../config/schema.ts';
import { CheckFailure } from '../check.ts';
import type { Finding } from './finding.ts';

/** The DNS queries; Node's own resolver unless a test passes another. */
type NameResolver = Pick<Resolver, 'resolve4' | 'resolve6' | 'resolveMx' | 'resolveTxt'>;

const ownResolver = () => new Resolver({ timeout: 3000, tries: 2 });

/** Checks the DNS records that decide whether emails arrive (MX, SPF, DMARC), and whether `base_url` resolves. */
export async function checkDns(config: Config, resolver: NameResolver = ownResolver()): Promise<Finding[]> {
  const domain = config.email.fromAddress.slice(config.email.fromAddress.lastIndexOf('@') + 1).toLowerCase();
  const mail = domain.includes('.')
    ? [mailExchanger(domain, resolver), senderPolicy(domain, resolver), dmarc(domain, resolver)]
    : [
        Promise.resolve<Finding>([
          'warn',
          `email.from_address is at ${domain}, which is not a public domain`,
        ]),
      ];
  const host = address(new URL(config.baseUrl).hostname, resolver);
  return Promise.all([...mail, host].map(finding => finding.catch(failure)));
}

function failure(error: unknown): Finding {
  if (error instanceof CheckFailure) return ['fail', error.message];
  throw error;
}

async function mailExchanger(domain: string, resolver: NameResolver): Promise<Finding> {
  const records = await orNone(domain, resolver.resolveMx(domain));
  if (records.length === 0) {
    return [
      'warn',
      `MX: ${domain} names no mail server, so nobody can reply, and some receivers reject its emails`,
    ];
  }
  // RFC 7505: a single dot means that the domain accepts no mail.
  if (records.every(({ exchange }) => exchange === '' || exchange === '.')) {
    return ['warn', `MX: ${domain} declares that it accepts no email, and some receivers reject its emails`];
  }
  const first = records.toSorted((a, b) => a.priority - b.priority)[0]!;
  return ['ok', `MX: emails to ${domain} go to ${first.exchange}`];
}

/** Checks the SPF record (RFC 7208). */
async function senderPolicy(domain: string, resolver: NameResolver): Promise<Finding> {
  const policies = (await texts(domain, resolver)).filter(text => /^v=spf1( |$)/i.test(text));
  if (policies.length === 0) {
    return ['fail', `SPF: ${domain} does not say who may send its emails (no TXT record "v=spf1 …")`];
  }
  if (policies.length > 1)
    return ['fail', `SPF: ${domain} has ${policies.length} policies, which count as none`];
  if (/(^| )\+?all$/i.test(policies[0]!))
    return ['warn', `SPF: ${domain} lets everybody send its emails (+all)`];
  return ['ok', `SPF: ${policies[0]}`];
}

/** Checks the DMARC record (RFC 7489): the domain's own policy, otherwise that of a parent domain. */
async function dmarc(domain: string, resolver: NameResolver): Promise<Finding> {
  const labels = domain.split('.');
  for (let i = 0; i < labels.length - 1; i++) {
    const above = labels.slice(i).join('.');
    const policy = (await texts(`_dmarc.${above}`, resolver)).find(text => /^v=DMARC1(;| |$)/i.test(text));
    if (policy === undefined) continue;
    const wanted = /\bp\s*=\s*(\w+)/i.exec(policy)?.[1]?.toLowerCase() ?? 'none';
    if (wanted === 'none') return ['warn', `DMARC: ${above} asks receivers to accept forged emails (p=none)`];
    return ['ok', `DMARC: ${above} asks receivers to ${wanted} forged emails`];
  }
  return [
    'fail',
    `DMARC: ${domain} has no policy (TXT record at _dmarc.${domain}); large receivers require one`,
  ];
}

async function address(hostname: string, resolver: NameResolver): Promise<Finding> {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (isLoopbackHost(hostname) || isIP(host) > 0) return ['skip', `base_url: ${host} needs no lookup`];
  const [v4, v6] = await Promise.all([
    orNone(host, resolver.resolve4(host)),
    orNone(host, resolver.resolve6(host)),
  ]);
  const found = [...v4, ...v6];
  if (found.length === 0)
    return ['fail', `base_url: ${host} has no address (A or AAAA), so links do not work`];
  return ['ok', `base_url: ${host} is at ${found.join(', ')}`];
}

/** Joins text records: one may be split into pieces of 255 octets. */
async function texts(name: string, resolver: NameResolver): Promise<string[]> {
  return (await orNone(name, resolver.resolveTxt(name))).map(pieces => pieces.join(''));
}

/** Returns no records if the name or the record does not exist; no response is a failure. @throws {CheckFailure} */
async function orNone<T>(name: string, records: Promise<T[]>): Promise<T[]> {
  return records.catch(error => {
    if (error.code === 'ENOTFOUND' || error.code === 'ENODATA') return [];
    throw new CheckFailure(`${name}: the DNS lookup failed (${error.code})`);
  });
}
