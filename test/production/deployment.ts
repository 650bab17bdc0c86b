import { mkdtemp, readFile } from 'node:fs/promises';
import { request } from 'node:https';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { inject } from 'vitest';
import { jwtSecret, logRecords } from '../cli/support.ts';
import { needed } from '../support/needed.ts';
import { Program } from '../support/program.ts';
import { type ProxyName, publicName, type RunningProxy, startProxy } from '../support/proxies.ts';
import { freePort } from '../support/server-process.ts';

const root = join(import.meta.dirname, '../..');
const main = join(root, 'src/cli/main.ts');

/** A request to the deployment, and its outcome. */
export interface Asked {
  method?: string;
  headers?: Record<string, string>;
  body?: object;
  /** The address that the client has. */
  from?: string;
  agent?: import('node:https').Agent | false;
}

export interface Answered {
  status: number;
  headers: import('node:http').IncomingHttpHeaders;
  text: string;
}

/** The parts of a deployment that are not in the files. */
interface Different {
  /** The name of the service; that of the files unless it is given. */
  host?: string;
  /** Workers of each process. */
  workers?: number;
  /** More variables of each process. */
  env?: Record<string, string>;
  /** Gets all that the processes write, too, as a log file does. */
  copyTo?: Writable;
}

/** One process of the service, run as the unit of examples/production runs it. */
export class Instance {
  readonly port: number;
  readonly #cwd: string;
  readonly #unit: Unit;
  readonly #different: Different;
  #program: Program | undefined;
  #written = '';

  constructor(port: number, { cwd, unit, different }: { cwd: string; unit: Unit; different: Different }) {
    this.port = port;
    this.#cwd = cwd;
    this.#unit = unit;
    this.#different = different;
  }

  /** Resolves once the unit would be active. */
  async start(): Promise<void> {
    const file = join(root, 'examples/production/gatehouse.toml');
    const { env, copyTo, workers = this.#unit.workers } = this.#different;
    const args = [...this.#unit.arguments(this.port), '--workers', String(workers)];
    this.#program = new Program([main, ...args, '--config', file], {
      copyTo,
      cwd: this.#cwd,
      env: {
        SVC_JWT_SECRET: jwtSecret,
        SVC_DATABASE_URL: 'sqlite:///./svc.db',
        // Settings for production alone, and limits that would stop the many requests of the tests.
        ...{ SVC_EMAIL__BACKEND: 'console', SVC_METRICS_PORT: '0', SVC_VERIFY_RATE_LIMIT: '' },
        // The rule of the proxy is about something that is there.
        SVC_ENABLE_ADMIN_ROUTER: 'true',
        ...env,
      },
    });
    await this.#program.waitFor(/^listening on /m, 0, 120_000);
    await sleep(this.#unit.pauseMs);
  }

  /** As `systemctl restart`. */
  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  /** As `systemctl reload`. */
  async reload(): Promise<void> {
    const from = this.#program!.output.length;
    this.#program!.signal('SIGHUP');
    // One after the other starts, and the one that it replaces ends within what the unit gives a stop.
    await this.#program!.waitFor(/"replaced the workers"/, from, 120_000);
  }

  async stop(): Promise<void> {
    await this.#program?.stop();
    this.#written += this.#program?.output ?? '';
    this.#program = undefined;
  }

  /** The records of its log, of former runs too. */
  get records(): Record<string, unknown>[] {
    return logRecords(this.#written + (this.#program?.output ?? ''));
  }

  async kill(): Promise<void> {
    await this.#program?.kill();
  }
}

/** Two processes of the service on one database, and a proxy before them, all with the files of examples/production. */
export interface Deployment {
  instances: readonly [Instance, Instance];
  /** Where browsers find it. */
  origin: string;
  proxy: RunningProxy;
  /** Asks by TLS, and throws where there is no answer. The path is sent as it is. */
  ask(path: string, options?: Asked): Promise<Answered>;
  close(): Promise<void>;
}

export async function deploy(name: ProxyName, different: Different = {}): Promise<Deployment> {
  const program = needed(name);
  if ('reason' in program) throw new Error(program.reason);
  const cwd = await mkdtemp(join(inject('temporaryFolder'), 'production-'));
  const upstreams = [await freePort(), await freePort()] as const;
  const unit = await readUnit();
  const { host = publicName } = different;
  const httpsPort = await freePort();
  const origin = `https://${host}:${httpsPort}`;
  const env = { ...(different.host && { SVC_BASE_URL: origin }), ...different.env };
  const instances = upstreams.map(
    port => new Instance(port, { cwd, unit, different: { ...different, env } }),
  );
  const [one, other] = instances as [Instance, Instance];
  let proxy: RunningProxy | undefined;
  const close = async () => {
    await proxy?.close();
    await Promise.all(instances.map(instance => instance.kill()));
  };
  try {
    await one.start();
    await other.start();
    proxy = await startProxy(name, program.path, { upstreams, host, httpsPort });
    return { instances: [one, other], origin, proxy, ask: clientOf(proxy, host), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The behaviour of the unit of examples/production. */
interface Unit {
  /** The arguments of `svc`, the number of workers apart. */
  arguments(port: number): string[];
  workers: number;
  /** How long it is not active yet after that is ready. */
  pauseMs: number;
}

async function readUnit(): Promise<Unit> {
  const text = await readFile(join(root, 'examples/production/svc@.service'), 'utf8');
  const [, start, workers] = /^ExecStart=\S+\/svc (.+) --workers (\d+)$/m.exec(text)!;
  const [, seconds] = /^ExecStartPost=\/bin\/sleep (\d+)$/m.exec(text)!;
  return {
    workers: Number(workers),
    arguments: port => start!.replaceAll('%i', String(port)).split(' '),
    pauseMs: Number(seconds) * 1000,
  };
}

const clientOf =
  ({ httpsPort, certificate }: RunningProxy, host: string): Deployment['ask'] =>
  (path, { method = 'GET', headers = {}, body, from, agent = false } = {}) =>
    new Promise((resolve, reject) => {
      const text = body && JSON.stringify(body);
      const sent = request({
        ...{ host: '127.0.0.1', port: httpsPort, servername: host, ca: certificate },
        ...{ path, method, agent, localAddress: from },
        headers: {
          Host: host,
          ...(text && { 'Content-Type': 'application/json', 'Content-Length': String(text.length) }),
          ...headers,
        },
      });
      sent.once('error', reject).once('response', answer => {
        let received = '';
        answer.setEncoding('utf8').on('data', (part: string) => {
          received += part;
        });
        answer.once('error', reject);
        answer.once('end', () =>
          resolve({ status: answer.statusCode!, headers: answer.headers, text: received }),
        );
      });
      sent.end(text);
    });
