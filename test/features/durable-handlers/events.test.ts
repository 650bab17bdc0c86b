import { expect, onTestFinished, test } from 'vitest';
import { createDataEncryption } from '../../../src/crypto/data-key.ts';
import type { StoredEventName } from '../../../src/event-names.ts';
import type { Events } from '../../../src/events.ts';
import { createPayloadCipher } from '../../../src/outgoing/payload.ts';
import { dataEncryptionKey, password, signUp, signUpByMail, startApp, tokenOf } from '../../support/app.ts';
import { eventually } from '../../support/eventually.ts';
import { asInNode } from '../../support/in-node.ts';
import { storedSettings } from '../../support/outbox.ts';
import { newAddress } from '../../support/people.ts';

async function start(settings: object = storedSettings) {
  const app = await startApp({ settings });
  onTestFinished(() => app.close());
  const { outbox } = app.gatehouse.repositories;
  const stored: string[] = [];
  const { add } = outbox;
  outbox.add = async row => {
    stored.push(row.kind);
    await add(row);
  };
  return { app, outbox, stored };
}

test('a durable handler gets what the act has stored before its answer, once, with its link', async () => {
  const { app, outbox, stored } = await start();
  const got: { email: string; url: string; id: string }[] = [];
  const stop = app.gatehouse.on(
    'verification_requested',
    async ({ email, url }, { id }) => void got.push({ email, url, id }),
    { durable: 'crm' },
  );
  const email = newAddress();
  expect((await app.rest('POST', '/register', { email, password })).status).toBe(201);
  expect(stored).toEqual(['mail', 'event']);
  const token = tokenOf(await app.nextMail(email));
  await eventually(() =>
    expect(got).toEqual([{ email, url: expect.stringContaining(token), id: expect.stringMatching(/^evt_/) }]),
  );
  await eventually(async () => expect(await outbox.list({}, { limit: 10 })).toEqual([]));
  expect(JSON.stringify(app.logs)).not.toContain(token);

  // Asking for another link is answered first: its event is stored before the email takes the place of the request.
  stored.length = 0;
  await app.rest('POST', '/resend-verification', { email });
  await app.nextMail(email);
  await eventually(() => expect(got).toHaveLength(2));
  expect(stored).toEqual(['mail', 'event']);
  stop();
  stored.length = 0;
  await app.rest('POST', '/register', { email: newAddress(), password });
  expect(stored).toEqual(['mail']);
});

test('is stored in the form of the wire, as every version stores it, and delivered in that of Node', async () => {
  const { app, outbox } = await start();
  const cipher = createPayloadCipher(createDataEncryption(dataEncryptionKey));
  const stored: Record<string, unknown>[] = [];
  const { add } = outbox;
  outbox.add = async row => {
    const { content } = cipher.decrypt(row);
    if (row.kind === 'event') stored.push(JSON.parse((content as { event: string }).event));
    await add(row);
  };
  const { id, email, token } = await signUp(app);
  const got: Events['email_change_requested'][] = [];
  app.gatehouse.on('email_change_requested', event => void got.push(event), { durable: 'crm' });
  const new_email = newAddress();
  await app.rest('POST', '/change-email', { new_email, current_password: password }, { token });
  await eventually(() => expect(got).toHaveLength(1));
  const [wire] = stored;
  expect(wire).toMatchObject({ user: { id, email, full_name: null, is_active: true }, new_email });
  expect(wire).toHaveProperty('url_without_token');
  expect(got).toEqual([asInNode(wire)]);
  expect(got[0]).toMatchObject({
    newEmail: new_email,
    user: { createdAt: expect.any(Date), fullName: null },
  });
});

test('an act whose event cannot be stored is not acknowledged, and one that is refused has no event', async () => {
  const { app, outbox, stored } = await start();
  const { email } = await signUp(app);
  app.gatehouse.on('user_logged_in', () => {}, { durable: 'crm' });
  stored.length = 0;
  await app.rest('POST', '/login', { email, password: 'a wrong one' });
  expect(stored).toEqual([]);
  const { add } = outbox;
  outbox.add = () => Promise.reject(new Error('the disk is full'));
  const { status, body } = await app.rest('POST', '/login', { email, password });
  expect([status, body.access_token]).toEqual([500, undefined]);
  outbox.add = add;
  expect((await app.rest('POST', '/login', { email, password })).status).toBe(200);
});

test('without durable handlers and webhooks no event is stored', async () => {
  const { app, stored } = await start();
  app.gatehouse.on('user_registered', () => {});
  await signUpByMail(app);
  expect(new Set(stored)).toEqual(new Set(['mail']));
});

test('a durable handler needs the database, an event that can be stored, and a name', async () => {
  const { app } = await start();
  const { on } = app.gatehouse;
  const audit = 'audit' as StoredEventName;
  expect(() => on(audit, () => {}, { durable: 'crm' })).toThrow('audit is none of these events');
  expect(() => on('user_updated', () => {}, { durable: '' })).toThrow('letters, digits');
  const { app: inMemory } = await start({});
  expect(() => inMemory.gatehouse.on('user_updated', () => {}, { durable: 'crm' })).toThrow(
    'mail_store = "database"',
  );
});
