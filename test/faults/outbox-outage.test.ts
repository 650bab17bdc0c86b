import { expect, onTestFinished, test } from 'vitest';
import { password, startApp } from '../support/app.ts';
import { describeEachDriver } from '../support/backends.ts';
import { eventually } from '../support/eventually.ts';
import { startMailbox } from '../support/mailbox.ts';
import { storedSettings } from '../support/outbox.ts';

describeEachDriver('stored messages and a mail server', backend => {
  test('that rejects for a while: they wait, requests are answered, and all arrive afterwards', async () => {
    const mailbox = await startMailbox();
    onTestFinished(() => mailbox.close());
    const { host: smtpHost, port: smtpPort } = mailbox;
    const app = await startApp({
      backend,
      settings: {
        ...storedSettings,
        email: { backend: 'smtp', smtpHost, smtpPort, smtpStarttls: false },
      },
    });
    const rows = app.gatehouse.repositories.outbox;
    const listed = () => rows.list({}, { limit: 100 });
    mailbox.behave({ reject: 451 });
    const addresses = Array.from({ length: 12 }, (_, i) => `${i}@example.org`);
    for (const email of addresses)
      expect((await app.rest('POST', '/register', { email, password })).status).toBe(201);
    await eventually(async () => {
      const all = await listed();
      expect(all).toHaveLength(12);
      // Each process has four under way; those that failed wait for their next try.
      for (const { lastError } of all) expect(lastError).toMatch(/^EENVELOPE: .*\(451/);
    });
    expect(await app.gatehouse.readiness()).toMatchObject({ isReady: true });
    expect((await app.gatehouse.status()).degraded).toEqual(['mail']);
    expect(mailbox.mails).toEqual([]);

    mailbox.behave('accept');
    for (const { id } of await listed()) await rows.retry(id, 86_400_000);
    await eventually(async () => expect(await listed()).toEqual([]));
    expect(mailbox.mails.map(({ to }) => to[0]).toSorted()).toEqual(addresses.toSorted());
    expect((await app.gatehouse.status()).status).toBe('ready');

    mailbox.behave({ reject: 550 });
    await app.rest('POST', '/register', { email: 'gone@example.org', password });
    await eventually(async () =>
      expect(await listed()).toMatchObject([
        { state: 'dead', attempts: 1, lastError: expect.stringMatching(/\(550/) },
      ]),
    );
    const log = JSON.stringify(app.logs.filter(({ message }) => message !== 'audit'));
    expect(log).not.toMatch(/gone@|token=/);
    await app.close();
  });
});
