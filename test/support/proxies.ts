import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fromPath, isExecutable } from './binaries.ts';
import { createSelfSigned } from './certificates.ts';
import { freePort, ServerProcess, type ServerProgram } from './server-process.ts';
import { watchedFolder } from './watched-folder.ts';

/** The proxies that examples/production has a file for. */
export const proxyNames = ['nginx', 'haproxy', 'caddy'] as const;
export type ProxyName = (typeof proxyNames)[number];

/** The name that the files of examples/production have for the service. */
export const publicName = 'accounts.lanterns.example';

/** Where packages put servers, which is not in every user's PATH. */
const systemFolders = ['/usr/sbin', '/usr/local/sbin'];

/** Finds an installed proxy. @throws {Error} saying what to do, when there is none */
export async function findProxy(name: ProxyName): Promise<string> {
  const variable = `${name.toUpperCase()}_PATH`;
  const named = process.env[variable];
  if (named) {
    if (await isExecutable(named)) return named;
    throw new Error(`${variable} names ${named}, which is no program`);
  }
  const path = await fromPath(name);
  if (path) return path;
  for (const folder of systemFolders) if (await isExecutable(join(folder, name))) return join(folder, name);
  throw new Error(`no ${name} (npm run test:production installs it on Debian; or name it in ${variable})`);
}

/** A proxy that runs with the file of examples/production. */
export interface RunningProxy {
  httpPort: number;
  httpsPort: number;
  /** The certificate that its own is signed by: its own. */
  certificate: string;
  /** Its output, with that of its access log where the file sets one up. */
  log(): Promise<string>;
  close(): Promise<void>;
}

/** The changes of the files for a test, and the added rule about `/api/auth/admin`. */
interface Place {
  folder: string;
  /** The name of the service. */
  host: string;
  /** Where the two processes of the service listen. */
  upstreams: readonly [number, number];
  httpPort: number;
  httpsPort: number;
}

/** Runs a proxy before two processes of the service. It refuses everything below `/api/auth/admin` by itself, with 403. */
export async function startProxy(
  name: ProxyName,
  program: string,
  { upstreams, host, httpsPort }: Pick<Place, 'upstreams' | 'host' | 'httpsPort'>,
): Promise<RunningProxy> {
  const folder = await watchedFolder(name);
  const place = { folder: folder.path, host, upstreams, httpPort: await freePort(), httpsPort };
  const server = new ServerProcess(
    { ...(await programs[name](program, place)), stopSignal: 'SIGTERM', abortSignal: 'SIGTERM' },
    folder,
  );
  try {
    const certificate = await makeCertificate(folder.path, host);
    await server.start();
    return {
      ...{ httpPort: place.httpPort, httpsPort: place.httpsPort, certificate },
      // The others write everything to where nginx writes errors alone.
      log: async () =>
        server.output + (name === 'nginx' ? await readFile(join(folder.path, 'access.log'), 'utf8') : ''),
      close: () => server.close(),
    };
  } catch (error) {
    await server.close();
    throw error;
  }
}

type Start = (program: string, place: Place) => Promise<Omit<ServerProgram, 'stopSignal' | 'abortSignal'>>;

const programs: Record<ProxyName, Start> = { nginx, haproxy, caddy };

async function nginx(program: string, { folder, host, upstreams, httpPort, httpsPort }: Place) {
  const accounts = await shipped('nginx.conf', [
    ['127.0.0.1:8001', `127.0.0.1:${upstreams[0]}`],
    ['127.0.0.1:8002', `127.0.0.1:${upstreams[1]}`],
    ['listen 443 ssl', `listen 127.0.0.1:${httpsPort} ssl`],
    ['    listen [::]:443 ssl http2;\n', ''],
    ['listen 80;', `listen 127.0.0.1:${httpPort};`],
    ['    listen [::]:80;\n', ''],
    [`server_name ${publicName}`, `server_name ${host}`],
    [`/etc/letsencrypt/live/${publicName}/fullchain.pem`, `${folder}/certificate.pem`],
    [`/etc/letsencrypt/live/${publicName}/privkey.pem`, `${folder}/key.pem`],
    ['/var/log/nginx/accounts.log', `${folder}/access.log`],
    ['    location / {', '    location /api/auth/admin { return 403; }\n    location / {'],
  ]);
  const spools = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const main = `
    daemon off;
    pid ${folder}/nginx.pid;
    error_log stderr notice;
    ${process.getuid?.() === 0 ? 'user root;' : ''}
    events {}
    http {
      ${spools.map(spool => `${spool}_temp_path ${folder}/${spool};`).join('\n')}
      include ${folder}/accounts.conf;
    }`;
  await writeFile(join(folder, 'accounts.conf'), accounts);
  await writeFile(join(folder, 'nginx.conf'), main);
  // Without -e, its first lines go to a log of the system's.
  const args = ['-e', 'stderr', '-p', folder, '-c', join(folder, 'nginx.conf')];
  return { command: program, args, readyLine: /start worker process/ };
}

async function haproxy(program: string, { folder, upstreams, httpPort, httpsPort }: Place) {
  const file = join(folder, 'haproxy.cfg');
  const text = await shipped('haproxy.cfg', [
    ['127.0.0.1:8001', `127.0.0.1:${upstreams[0]}`],
    ['127.0.0.1:8002', `127.0.0.1:${upstreams[1]}`],
    ['bind :80', `bind 127.0.0.1:${httpPort}`],
    ['bind :443', `bind 127.0.0.1:${httpsPort}`],
    ['/etc/haproxy/accounts.pem', `${folder}/both.pem`],
    ['log /dev/log local0', 'log stdout format raw local0'],
    ['    user haproxy\n    group haproxy\n', ''],
    [
      '    default_backend gatehouse',
      '    http-request deny if { path_beg /api/auth/admin }\n    default_backend gatehouse',
    ],
  ]);
  await writeFile(file, text);
  return { command: program, args: ['-W', '-db', '-f', file], readyLine: /Loading success/ };
}

async function caddy(program: string, { folder, host, upstreams, httpPort, httpsPort }: Place) {
  const file = join(folder, 'Caddyfile');
  const site = await shipped('Caddyfile', [
    ['127.0.0.1:8001', `127.0.0.1:${upstreams[0]}`],
    ['127.0.0.1:8002', `127.0.0.1:${upstreams[1]}`],
    [
      `${publicName} {\n`,
      `${host} {\n\ttls ${folder}/certificate.pem ${folder}/key.pem\n\trespond /api/auth/admin* 403\n`,
    ],
  ]);
  const bound = `default_bind 127.0.0.1\n\thttp_port ${httpPort}\n\thttps_port ${httpsPort}`;
  await writeFile(file, `{\n\tadmin off\n\t${bound}\n}\n${site}`);
  const args = [`XDG_CONFIG_HOME=${folder}`, `XDG_DATA_HOME=${folder}`, program, 'run'];
  return {
    command: 'env',
    args: [...args, '--config', file, '--adapter', 'caddyfile'],
    readyLine: /serving initial configuration/,
  };
}

/** A file of examples/production with what is different here. @throws {Error} when it does not hold one of them */
async function shipped(name: string, replacements: [from: string, to: string][]): Promise<string> {
  const text = await readFile(join(import.meta.dirname, '../../examples/production', name), 'utf8');
  return replacements.reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`examples/production/${name} has no ${JSON.stringify(from)}`);
    return text.replaceAll(from, to);
  }, text);
}

/** Makes a key and a certificate of its own, in one file each and in one for both, and returns the certificate. */
export async function makeCertificate(folder: string, host: string): Promise<string> {
  const { key, cert } = await createSelfSigned(host);
  await writeFile(join(folder, 'key.pem'), key);
  await writeFile(join(folder, 'certificate.pem'), cert);
  await writeFile(join(folder, 'both.pem'), `${cert}${key}`);
  return cert;
}
