import { randomInt } from 'node:crypto';
import { appendFileSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { createServer } from 'node:https';
import { join } from 'node:path';
import express, { type RequestHandler } from 'express';
import { inject } from 'vitest';
import { loadConfig } from '../../../src/config/load.ts';
import type { ConfigInput } from '../../../src/config/schema.ts';
import { assemble, type Gatehouse } from '../../../src/gatehouse.ts';
import { cheapHash } from '../../../src/testing/cheap-hash.ts';
import { type Check, CheckFailure } from '../../../src/validate/check.ts';
import { type ProbeOptions, probe, skippable } from '../../../src/validate/deployment/probe.ts';
import type { Certificate } from '../../support/certificates.ts';
import { listen } from '../../support/listening.ts';

/** A deployment whose log is a file, and which can be broken from outside. */
export interface Deployment {
  url: string;
  log: string;
  gatehouse: Gatehouse;
  /** What stands in front of the service; nothing while it is null. */
  fault: RequestHandler | null;
  /** Whether mails and text messages reach the log. */
  isMute: boolean;
  close(): Promise<void>;
}

/** Everybody who has an account there. */
export const everybodyIn = ({ gatehouse }: Pick<Deployment, 'gatehouse'>) =>
  gatehouse.repositories.users.list({});

/** All phases but these. */
export const only = (...names: string[]) => new Set(skippable.filter(name => !names.includes(name)));

/** Long enough for a flow whose message is there, and all that a test waits for one that never comes. */
const timeoutMs = 10_000;

const jwtSecret = 'a signing secret of the tests of the probe';
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** Starts one on loopback, with everything switched on that the probe can walk through. */
export async function startDeployment(
  settings: ConfigInput = {},
  /** That of one that speaks TLS. */
  tls?: Certificate,
): Promise<Deployment> {
  const folder = await mkdtemp(join(inject('temporaryFolder'), 'probe-'));
  const log = join(folder, 'svc.log');
  writeFileSync(log, '');
  const { config } = loadConfig({
    arguments: {
      ...{ jwtSecret, databaseUrl: 'sqlite:///:memory:', enableSms2fa: true, enableAdminRouter: true },
      ...{ email: { logBodies: true }, sms: { logBodies: true } },
      ...settings,
    },
    env: {},
    cwd: folder,
  });
  const gatehouse = await assemble(config, {
    logger: silent,
    hashCost: cheapHash,
    write: text => deployment.isMute || appendFileSync(log, text),
  });
  await gatehouse.installSchema();
  const host = express();
  host.use((req, res, next) => (deployment.fault ? deployment.fault(req, res, next) : next()));
  host.use(config.apiPrefix, gatehouse.router);
  const { port, close } = await listen(tls ? createServer(tls, host) : host);

  const deployment: Deployment = {
    url: `${tls ? 'https://localhost' : 'http://127.0.0.1'}:${port}${config.apiPrefix}`,
    ...{ log, gatehouse, fault: null, isMute: false },
    async close() {
      await close();
      await gatehouse.close();
    },
  };
  return deployment;
}

/** Stops a walk that removes its factor, and refuses the removal and from then on the session. */
export function loseSession(deployment: Deployment, factor: string): AbortSignal {
  const stopping = new AbortController();
  let lost: string | undefined;
  deployment.fault = ({ method, path, headers }, res, next) => {
    if (lost !== undefined && headers.authorization === lost) return void res.status(401).json({});
    if (method !== 'DELETE' || !path.includes(factor)) return next();
    lost = headers.authorization;
    stopping.abort();
    res.status(500).send('');
  };
  return stopping.signal;
}

/** A number of one walk's own: a phone gets few messages an hour. */
export const newPhone = () => `+4915${randomInt(10 ** 8, 10 ** 9)}`;

/** Probes a deployment and answers all checks. */
export async function probed(deployment: Deployment, options: Partial<ProbeOptions> = {}): Promise<Check[]> {
  const checks: Check[] = [];
  await probe({
    ...{ url: deployment.url, logSource: { kind: 'file', path: deployment.log } as const },
    ...{
      mailbox: null,
      addressForm: undefined,
      phone: null,
      skip: new Set<string>(),
      timeoutMs,
      letterTimeoutMs: timeoutMs,
      insecure: false,
      keepUser: false,
    },
    stop: new AbortController().signal,
    report: check => checks.push(check),
    sleep: () => Promise.reject(new CheckFailure('this test does not wait')),
    ...options,
  });
  return checks;
}

/** The check of this name. @throws {CheckFailure} when there is none */
export function checkOf(checks: Check[], name: string): Check {
  const check = checks.find(check => check.name === name);
  if (!check) throw new CheckFailure(`no check ${name} among ${checks.map(({ name }) => name).join(', ')}`);
  return check;
}
