import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, inject, test } from 'vitest';
import { parseAllDocuments, parse as parseYaml } from 'yaml';
import { loadConfig } from '../../src/config/load.ts';
import { jwtSecret } from '../cli/support.ts';
import { backends } from '../support/backends.ts';
import { installPacked } from '../support/packed.ts';
import { Program } from '../support/program.ts';
import { freePort } from '../support/server-process.ts';

// The files of examples/containers fit the program and each other, and what the image runs works without an engine.

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const read = (name: string) => readFile(join(root, 'examples/containers', name), 'utf8');
const dockerfile = await read('Dockerfile');
const compose = parseYaml(await read('compose.yaml'), { merge: true });
const kubernetes = parseAllDocuments(await read('kubernetes.yaml')).map(document => document.toJS());
const ofKind = (kind: string) => kubernetes.find(object => object.kind === kind);
const pod = ofKind('Deployment').spec.template.spec;

/** The variables of the image. */
const imageEnv: Record<string, string> = Object.fromEntries(
  [...dockerfile.matchAll(/^ENV (.*)$/gm)].flatMap(([, line]) =>
    [...line!.matchAll(/(\w+)=(?:"([^"]*)"|(\S*))/g)].map(([, name, quoted, plain]) => [
      name,
      quoted ?? plain,
    ]),
  ),
);
/** An instruction in its form as a list. */
const command = (name: string): string[] =>
  JSON.parse(new RegExp(`^${name}.*?(\\[.*\\])$`, 'm').exec(dockerfile)![1]!);

const configuration = (env: Record<string, string>) =>
  loadConfig({
    env: { SVC_CONFIG: join(root, 'examples/containers/gatehouse.toml'), ...env },
    cwd: inject('temporaryFolder'),
  }).config;

/** Variables whose files are there, in place of the mounted ones. */
async function withFiles(env: Record<string, string>, values: Record<string, string>) {
  const folder = await mkdtemp(join(inject('temporaryFolder'), 'secrets-'));
  const entries = Object.entries(env).map(async ([name, value]) => {
    if (!name.endsWith('_FILE')) return [name, value];
    const file = join(folder, name);
    await writeFile(file, values[name]!, { mode: 0o600 });
    return [name, file];
  });
  return Object.fromEntries(await Promise.all(entries)) as Record<string, string>;
}

const values = {
  SVC_JWT_SECRET_FILE: jwtSecret,
  SVC_DATABASE_URL_FILE: 'postgresql+asyncpg://gatehouse:secret@database:5432/gatehouse',
};

test('the configuration is complete with the variables of compose.yaml', async () => {
  const { environment, stop_grace_period } = compose.services['accounts-1'];
  const config = configuration(await withFiles(environment, values));
  const [{ subnet }] = compose.networks.default.ipam.config;
  expect(config.trustedProxies).toEqual([subnet]);
  // Ten seconds for requests and five for mails.
  expect(Number.parseInt(stop_grace_period, 10)).toBeGreaterThan(config.shutdownDelaySeconds + 15);
  expect(compose.services.migrate.environment).toEqual(environment);
  expect(dockerfile).toContain(`EXPOSE ${config.port}\n`);
  const keepAlive = Number(/^\s*keepalive (\d+)s$/m.exec(await read('Caddyfile'))![1]);
  expect(keepAlive).toBeLessThan(Math.min(config.keepAliveSeconds, config.shutdownDelaySeconds));
});

test('the configuration is complete with the variables of kubernetes.yaml, and the times fit', async () => {
  const filled = Object.fromEntries(
    Object.entries<string>(ofKind('ConfigMap').data).map(([name, value]) => [
      name,
      name === 'SVC_TRUSTED_PROXIES' ? '10.0.0.0/8' : value.replace(/<.*?>/, 'accounts.lanterns.example'),
    ]),
  );
  const config = configuration(await withFiles(filled, values));
  expect(config.trustedProxies).toEqual(['10.0.0.0/8']);
  expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(config.shutdownDelaySeconds + 15);
  const [{ ports, readinessProbe }] = pod.containers;
  expect(ports.map((port: { containerPort: number }) => port.containerPort)).toEqual([
    config.port,
    config.metricsPort,
  ]);
  // The service has left the instance out before it stops.
  const { periodSeconds, failureThreshold } = readinessProbe;
  expect(periodSeconds * failureThreshold).toBeLessThan(config.shutdownDelaySeconds);
});

test('a container may do nothing that the service does not need', () => {
  expect(dockerfile).toMatch(/^USER node$/m);
  for (const name of ['accounts-1', 'accounts-2', 'migrate'])
    expect(compose.services[name]).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
  for (const { securityContext, containers } of [pod, ofKind('Job').spec.template.spec]) {
    expect(securityContext.runAsNonRoot).toBe(true);
    expect(containers[0].securityContext).toEqual({
      readOnlyRootFilesystem: true,
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
    });
  }
});

const backend = backends.find(({ name }) => name === 'postgresql')!;

test.skipIf(!backend.available)(
  'the image migrates, serves, is healthy, writes nothing and stops',
  async () => {
    const { dependencies } = JSON.parse(await read('package.json'));
    const { peerDependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    const { 'gatehouse-auth': gatehouse, ...peers } = dependencies;
    expect(peerDependencies).toMatchObject(peers);
    expect(dockerfile).toContain(gatehouse.replace('file:./', ''));

    const folder = await mkdtemp(join(inject('temporaryFolder'), 'image-'));
    await installPacked(folder, Object.keys(peers));
    const database = await backend.createDatabase();
    const { SVC_RATE_LIMIT_STORE_URL: _, ...variables } = compose.services['accounts-1'].environment;
    const env = {
      ...imageEnv,
      SVC_CONFIG: join(root, 'examples/containers/gatehouse.toml'),
      ...(await withFiles(variables, { ...values, SVC_DATABASE_URL_FILE: database.url })),
      SVC_HOST: '127.0.0.1',
      SVC_METRICS_PORT: '0',
      SVC_SHUTDOWN_DELAY_SECONDS: '0',
    };
    // npm would link it so.
    const { bin } = JSON.parse(
      await readFile(join(folder, 'node_modules/gatehouse-auth/package.json'), 'utf8'),
    );
    expect(command('ENTRYPOINT')).toEqual(['node_modules/.bin/svc']);
    const entrance = join('node_modules/gatehouse-auth', bin.svc);
    const before = await readdir(folder, { recursive: true });
    const migration = new Program([entrance, ...compose.services.migrate.command], { cwd: folder, env });
    expect(await migration.ended()).toBe(0);

    const instances = [];
    for (const port of [await freePort(), await freePort()]) {
      const instance = new Program([entrance, ...command('CMD'), '--port', String(port)], {
        cwd: folder,
        env,
      });
      instances.push({ instance, port });
    }
    for (const { instance, port } of instances) {
      await instance.waitFor(/^listening on /m);
      const [program, ...check] = command('HEALTHCHECK').map(part => part.replace('8000', String(port)));
      expect(program).toBe('node');
      await run(process.execPath, check);
      expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
      expect(await instance.stop()).toBe(0);
      await expect(run(process.execPath, check)).rejects.toMatchObject({ code: 1 });
    }
    expect(await readdir(folder, { recursive: true })).toEqual(before);
    await database.drop();
  },
);
