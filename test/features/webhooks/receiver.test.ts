import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, inject, onTestFinished, test } from 'vitest';
import { signUpByMail, startApp, TestClock } from '../../support/app.ts';
import { eventually } from '../../support/eventually.ts';
import { storedSettings } from '../../support/outbox.ts';
import { Program } from '../../support/program.ts';
import { freePort } from '../../support/server-process.ts';
import { otherSecret, webhookSecret } from '../../support/webhooks.ts';

test('examples/webhook-receiver takes what Gatehouse sends, once, and refuses what others send', async () => {
  const port = String(await freePort());
  const receiver = new Program([join(import.meta.dirname, '../../../examples/webhook-receiver/server.js')], {
    cwd: await mkdtemp(join(inject('temporaryFolder'), 'receiver-')),
    env: { PORT: port, WEBHOOK_SECRET: webhookSecret },
  });
  onTestFinished(() => receiver.kill());
  await receiver.waitFor(/listening on /);
  const url = `http://localhost:${port}/webhooks`;
  const app = await startApp({
    clock: new TestClock(new Date().toISOString()),
    settings: {
      ...storedSettings,
      webhooks: { shop: { url, secret: webhookSecret }, forged: { url, secret: otherSecret } },
    },
  });
  onTestFinished(() => app.close());
  const { id } = await signUpByMail(app);
  await receiver.waitFor(new RegExp(`a new customer: ${id}`));
  await receiver.waitFor(/a delivery with a wrong signature/);
  await eventually(async () => {
    const rows = await app.gatehouse.repositories.outbox.list({}, { limit: 100 });
    expect(rows.map(({ recipient }) => recipient)).not.toContain('shop');
    expect(rows.map(({ lastError }) => lastError)).toContain('http_401: it answered 401');
  });
  expect(receiver.output.match(/a new customer/g)).toHaveLength(1);
  expect((await fetch(url)).status).toBe(404);
});
