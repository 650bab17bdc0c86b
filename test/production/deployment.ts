import { mkdtemp, readFile } from 'node:fs/promises';
import { request } from 'node:https';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inject } from 'vitest';
import { jwtSecret, logRecords } from '../cli/support.ts';
import { Program } from '../support/program.ts';
import { type ProxyName, publicName, type RunningProxy, startProxy } from '../support/proxies.ts';
import { freePort } from '../support/server-process.ts';

const root = join(import.meta.dirname, '../..');
const main = join(root, 'src/cli/main.ts');

/** What is asked of the deployment, and how it went. */
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

/** One process of the service, run as the unit of examples/production runs it. */
export class Instance {
  readonly port: number;
  readonly #cwd: string;
  readonly #unit: Unit;
  #program: Program | undefined;
  #written = '';

  constructor(port: number, cwd: string, unit: Unit) {
    this.port = port;
    this.#cwd = cwd;
    this.#unit = unit;
  }

  /** Resolves once the unit would be active. */
  async start(): Promise<void> {
    const file = join(root, 'examples/production/gatehouse.toml');
    this.#program = new Program([main, ...this.#unit.arguments(this.port), '--config', file], {
      cwd: this.#cwd,
      env: {
        SVC_JWT_SECRET: jwtSecret,
        SVC_DATABASE_URL: 'sqlite:///./svc.db',
        // What is only there in production, or would keep the tests from asking as often as they do.
        ...{ SVC_EMAIL__BACKEND: 'console', SVC_METRICS_PORT: '0', SVC_VERIFY_RATE_LIMIT: '' },
        // The rule of the proxy is about something that is there.
        SVC_ENABLE_ADMIN_ROUTER: 'true',
      },
    });
    await this.#program.waitFor(/^listening on /m);
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
    await this.#program!.waitFor(/"replaced the workers"/, from);
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
  proxy: RunningProxy;
  /** Asks by TLS, and throws where there is no answer. The path is sent as it is. */
  ask(path: string, options?: Asked): Promise<Answered>;
  close(): Promise<void>;
}

export async function deploy(name: ProxyName): Promise<Deployment> {
  const program = inject('proxies')[name];
  if ('reason' in program) throw new Error(program.reason);
  const cwd = await mkdtemp(join(inject('temporaryFolder'), 'production-'));
  const upstreams = [await freePort(), await freePort()] as const;
  const unit = await readUnit();
  const instances = upstreams.map(port => new Instance(port, cwd, unit));
  const [one, other] = instances as [Instance, Instance];
  let proxy: RunningProxy | undefined;
  const close = async () => {
    await proxy?.close();
    await Promise.all(instances.map(instance => instance.kill()));
  };
  try {
    await one.start();
    await other.start();
    proxy = await startProxy(name, program.path, upstreams);
    return { instances: [one, other], proxy, ask: clientOf(proxy), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** What the unit of examples/production does. */
interface Unit {
  /** What it calls `svc` with. */
  arguments(port: number): string[];
  /** How long it is not active yet after that is ready. */
  pauseMs: number;
}

async function readUnit(): Promise<Unit> {
  const text = await readFile(join(root, 'examples/production/svc@.service'), 'utf8');
  const [, start] = /^ExecStart=\S+\/svc (.+)$/m.exec(text)!;
  const [, seconds] = /^ExecStartPost=\/bin\/sleep (\d+)$/m.exec(text)!;
  return {
    arguments: port => start!.replaceAll('%i', String(port)).split(' '),
    pauseMs: Number(seconds) * 1000,
  };
}

const clientOf =
  ({ httpsPort, certificate }: RunningProxy): Deployment['ask'] =>
  (path, { method = 'GET', headers = {}, body, from, agent = false } = {}) =>
    new Promise((resolve, reject) => {
      const text = body && JSON.stringify(body);
      const sent = request({
        ...{ host: '127.0.0.1', port: httpsPort, servername: publicName, ca: certificate },
        ...{ path, method, agent, localAddress: from },
        headers: {
          Host: publicName,
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
