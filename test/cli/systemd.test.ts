import { chmod, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { expect, test } from 'vitest';
import { emptyFolder, serve } from './support.ts';

/** A folder with a program `systemd-notify` that writes down what it is called with. */
async function recorder() {
  const folder = await emptyFolder();
  const file = join(folder, 'states');
  const program = join(folder, 'systemd-notify');
  await writeFile(program, `#!/bin/sh\nprintf '%s %s\\n' "$NOTIFY_SOCKET" "$*" >> '${file}'\n`);
  await chmod(program, 0o755);
  const env = {
    ...{ NOTIFY_SOCKET: '/run/systemd/notify', PATH: `${folder}${delimiter}${process.env.PATH}` },
    SVC_DATABASE_URL: 'sqlite:///./svc.db',
  };
  const states = async () => (await readFile(file, 'utf8').catch(() => '')).trimEnd().split('\n');
  return { env, states };
}

const told = (...states: string[]) => states.map(state => `/run/systemd/notify ${state}`);

test('systemd learns that the service is ready, and that it stops', async () => {
  const { env, states } = await recorder();
  const { stop } = await serve([], { env });
  await expect.poll(states, { timeout: 20_000 }).toEqual(told('READY=1'));
  expect((await stop()).code).toBe(0);
  expect(await states()).toEqual(told('READY=1', 'STOPPING=1'));
});

test('systemd learns of it once for all workers, and of their replacement', async () => {
  const { env, states } = await recorder();
  const { signal, written, stop } = await serve(['--workers', '2'], { env });
  signal('SIGHUP');
  await written(/"replaced the workers"/);
  await expect.poll(states, { timeout: 20_000 }).toEqual(told('READY=1', 'RELOADING=1', 'READY=1'));
  expect((await stop()).code).toBe(0);
  expect(await states()).toEqual(told('READY=1', 'RELOADING=1', 'READY=1', 'STOPPING=1'));
});

test('a service that cannot tell systemd says so and serves on', async () => {
  const env = { NOTIFY_SOCKET: '/run/systemd/notify', PATH: await emptyFolder() };
  const { origin, written, stop } = await serve([], { env });
  await written(/"level":40.*systemd could not be notified/);
  expect((await fetch(`${origin}/readyz`)).status).toBe(200);
  expect((await stop()).code).toBe(0);
});
