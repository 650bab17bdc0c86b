import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createDataEncryption } from '../../src/crypto/data-key.ts';
import { GatehouseError } from '../../src/errors.ts';
import { createPayloadCipher } from '../../src/outgoing/payload.ts';
import { LateAnswer } from '../../src/storage/errors.ts';
import {
  type App,
  dataEncryptionKey,
  type Member,
  newPassword,
  password,
  signUp,
  startApp,
  tokenOf,
} from '../support/app.ts';
import { describeEachBackend, describeEachDriver } from '../support/backends.ts';
import { doorsOn, resultOf } from '../support/doors.ts';
import { eventually } from '../support/eventually.ts';
import { addMessage, storedSettings } from '../support/outbox.ts';
import { newAddress, signUpSuperuser } from '../support/people.ts';
import { rowsIn } from '../support/rows.ts';

const settings = { ...storedSettings, enableAdminRouter: true, enableMetrics: true };

describeEachDriver('messages that wait in the database', backend => {
  let app: App;
  let root: Member;
  beforeAll(async () => {
    app = await startApp({ backend, settings });
    root = await signUpSuperuser(app);
  });
  afterAll(() => app?.close());
  const rows = () => app.gatehouse.repositories.outbox;
  const listed = () => rows().list({}, { limit: 100 });
  afterEach(async () => {
    await eventually(async () => {
      for (const { id, state } of await listed()) if (state !== 'sending') await rows().remove(id);
      for (const { id, lease } of await listed())
        if (lease === 'of a process that died') await rows().remove(id);
      expect(await listed()).toEqual([]);
    });
  });
  const asRoot = () => ({ token: root.token });

  describe('for administrators', () => {
    test('are listed newest first, by state and by pages, alike through both doors', async () => {
      const dead: string[] = [];
      for (let i = 0; i < 3; i++) dead.push(await addMessage(app));
      const waiting = await addMessage(app, { state: 'waiting' });
      const sending = await addMessage(app, { state: 'sending' });
      const rest = async (query: string) =>
        (await app.rest('GET', `/admin/outbox?${query}`, undefined, asRoot())).body;
      const { items, has_more, next_cursor } = await rest('limit=10');
      expect([items.length, has_more, next_cursor]).toEqual([5, false, null]);
      expect(new Set(items.map(({ id }: { id: string }) => id))).toEqual(
        new Set([...dead, waiting, sending]),
      );
      expect(items.find(({ id }: { id: string }) => id === dead[0])).toEqual({
        id: dead[0],
        kind: 'mail',
        purpose: 'password-changed',
        recipient: 'a***@example.org',
        state: 'dead',
        attempts: 1,
        created_at: expect.stringMatching(/^\d{4}-.*Z$/),
        next_attempt_at: null,
        last_error: 'EENVELOPE: refused',
      });

      const first = await rest('state=dead&limit=2');
      expect([first.items.length, first.has_more]).toEqual([2, true]);
      const last = await rest(`state=dead&limit=2&after=${first.next_cursor}`);
      expect([last.items.length, last.has_more, last.next_cursor]).toEqual([1, false, null]);
      const paged = [...first.items, ...last.items].map(({ id }: { id: string }) => id);
      expect(paged.toSorted()).toEqual(dead.toSorted());

      const query = `query ($first: Int, $after: String, $state: String) {
        outboxMessages(first: $first, after: $after, state: $state) {
          nodes { id lastError } pageInfo { hasNextPage endCursor } } }`;
      const ask = async (variables: object) => {
        const { body } = await app.graphql(query, variables, asRoot());
        expect(body.errors).toBeUndefined();
        return body.data.outboxMessages;
      };
      const page = await ask({ first: 2, state: 'dead' });
      const next = await ask({ first: 2, state: 'dead', after: page.pageInfo.endCursor });
      expect([...page.nodes, ...next.nodes].map(({ id }: { id: string }) => id)).toEqual(paged);
      expect([page.pageInfo.hasNextPage, next.pageInfo.hasNextPage]).toEqual([true, false]);
      expect(await rest('state=gone')).toMatchObject({ code: 'invalid_input' });
    });

    describe.each(doorsOn(backend))('through $name', door => {
      test('are tried again, and dropped', async () => {
        const call = door.at(app);
        const audited: unknown[] = [];
        const stop = app.gatehouse.on('audit', ({ act, outcome, changes }) => {
          audited.push([act, outcome, changes]);
        });
        const dead = await addMessage(app);
        expect(await resultOf(call('adminRetryMessage', { id: dead }, asRoot()))).toEqual({
          message: 'The message will be tried within seconds.',
        });
        await eventually(async () => expect(await rows().find(dead)).toBeNull());
        expect(app.mails.filter(({ kind }) => kind === 'password-changed').length).toBeGreaterThan(0);
        const sending = await addMessage(app, { state: 'sending' });
        expect(await resultOf(call('adminRetryMessage', { id: sending }, asRoot()))).toEqual({
          message: 'The message is being sent.',
        });
        expect(await resultOf(call('adminDropMessage', { id: sending }, asRoot()))).toEqual({
          message: 'The message was dropped.',
        });
        for (const operation of ['adminRetryMessage', 'adminDropMessage'] as const)
          expect(await call(operation, { id: sending }, asRoot())).toMatchObject({ code: 'not_found' });
        stop();
        expect(audited).toEqual([
          ['adminRetryMessage', 'ok', ['mail.password-changed']],
          ['adminRetryMessage', 'ok', ['mail.password-changed']],
          ['adminDropMessage', 'ok', ['mail.password-changed']],
          ['adminRetryMessage', 'refused', null],
          ['adminDropMessage', 'refused', null],
        ]);
      });
    });

    test('are counted in the metrics, and sign-ins succeed while the mail server refuses', async () => {
      await addMessage(app);
      await addMessage(app, { state: 'waiting' });
      const metrics = await app.gatehouse.metrics!.text();
      expect(metrics).toMatch(/gatehouse_outbox_messages\{kind="mail",state="dead"\} 1\n/);
      expect(metrics).toMatch(/gatehouse_outbox_messages\{kind="mail",state="waiting"\} 1\n/);
      expect(await app.gatehouse.readiness()).toMatchObject({ isReady: true });
    });
  });

  /** The rows that a request adds before it is answered. */
  async function addedBy(request: () => Promise<{ status: number }>) {
    const { add } = rows();
    const added: { kind: string; purpose: string; recipient: string }[] = [];
    rows().add = async row => {
      added.push({ kind: row.kind, purpose: row.purpose, recipient: row.recipient });
      await add(row);
    };
    try {
      const { status } = await request();
      return { status, added };
    } finally {
      rows().add = add;
    }
  }

  describe('a request whose answer must not tell', () => {
    test('writes the same for an address with an account and for one without', async () => {
      const { email } = await signUp(app, newAddress());
      const recipient = (address: string) => `${address[0]}***${address.slice(address.indexOf('@'))}`;
      for (const [path, purpose] of [
        ['/forgot-password', 'password-reset'],
        ['/resend-verification', 'verification'],
      ] as const) {
        const sent = app.mails.length;
        for (const address of [email, newAddress()]) {
          expect(await addedBy(() => app.rest('POST', path, { email: address }))).toEqual({
            status: 202,
            added: [{ kind: 'mail', purpose, recipient: recipient(address) }],
          });
        }
        await eventually(async () => expect(await listed()).toEqual([]));
        // A verified account needs no verification, and no other address gets an email.
        expect(app.mails.slice(sent).map(({ to, kind }) => [to, kind])).toEqual(
          path === '/forgot-password' ? [[email, 'password-reset']] : [],
        );
      }
    });

    test('writes the same beyond the cap of the address', async () => {
      const email = newAddress();
      for (let i = 0; i < 7; i++) {
        const { status, added } = await addedBy(() => app.rest('POST', '/register', { email, password }));
        expect([status, added.length]).toEqual([201, 1]);
      }
      await eventually(async () => expect(await listed()).toEqual([]));
      expect(app.mails.filter(({ to }) => to === email)).toHaveLength(5);
    });
  });

  test('a request for a link whose process died is done by another, with a link that works', async () => {
    const { email } = await signUp(app, newAddress());
    const row = { id: randomUUID(), kind: 'mail' as const };
    const content = { email, ip: '192.0.2.1', requestId: 'a-request' };
    const payload = createPayloadCipher(createDataEncryption(dataEncryptionKey)).encrypt(row, {
      by: 'forgotPassword',
      content,
    });
    const described = { purpose: 'password-reset', recipient: 'l***@example.org', payload };
    await rows().add({ ...row, ...described, lease: 'of a process that died', dueInMs: 0, endsInMs: 60_000 });
    const token = tokenOf(await app.nextMail(email));
    const reset = { token, new_password: newPassword };
    expect((await app.rest('POST', '/reset-password', reset)).status).toBe(200);
    await eventually(async () => expect(await rows().find(row.id)).toBeNull());
  });

  test('a mail that cannot be stored is not acknowledged, and takes no slot of the cap', async () => {
    const { add } = rows();
    const email = newAddress();
    rows().add = () => Promise.reject(new Error('the disk is full'));
    for (let i = 0; i < 7; i++)
      expect((await app.rest('POST', '/register', { email, password })).status).toBe(500);
    rows().add = add;
    expect((await app.rest('POST', '/register', { email, password })).status).toBe(201);
    expect((await app.nextMail(email)).kind).toBe('verification');
  });

  test('a mail that the database may have stored late takes its slot of the cap', async () => {
    const { add } = rows();
    const email = newAddress();
    const late = new GatehouseError('unavailable', { cause: new LateAnswer() });
    rows().add = () => Promise.reject(late);
    for (let i = 0; i < 2; i++)
      expect((await app.rest('POST', '/register', { email, password })).status).toBe(503);
    rows().add = add;
    const slots = await app.gatehouse.repositories.attempts.list(`mail:verification:${email}`);
    expect(slots).toHaveLength(2);
  });

  test('a notice to an address that is not verified waits for its slot in the database', async () => {
    const open = await startApp({ backend, settings: { ...storedSettings, requireVerification: false } });
    const email = newAddress();
    await open.rest('POST', '/register', { email, password });
    const { body } = await open.rest('POST', '/login', { email, password });
    const change = { current_password: password, new_password: newPassword };
    const changed = await open.rest('POST', '/change-password', change, { token: body.access_token });
    expect(changed.status).toBe(200);
    const notice = await open.nextMail(email);
    expect(notice).toMatchObject({ kind: 'password-changed' });
    expect(notice.text).toContain('2040');
    await open.close();
  });
});

describeEachBackend(
  'a copy of the database',
  backend => {
    test('yields no token, code or address of a message that waits', async () => {
      const { url, drop } = await backend.lendDatabase();
      const refused = Promise.reject(new Error('down'));
      refused.catch(() => {});
      const app = await startApp({ databaseUrl: url, settings: { ...storedSettings, enableSms2fa: true } });
      const { email, token } = await signUp(app, 'owner@example.org');
      // Everything hangs from here on, and so stays stored.
      const { outbox } = app.gatehouse.repositories;
      outbox.remove = async () => false;
      await app.rest('POST', '/forgot-password', { email });
      const phone = { phone_number: '+4915112345678', current_password: password };
      await app.rest('POST', '/phone/start', phone, { token });
      const secrets = [
        tokenOf(await app.nextMail(email)),
        /\d{6}/.exec((await app.nextText('+4915112345678')).text)![0],
      ];
      const { outbox: stored } = await rowsIn(url);
      expect(stored!.length).toBeGreaterThanOrEqual(2);
      const text = JSON.stringify(stored);
      for (const secret of [...secrets, email, '15112345678']) expect(text).not.toContain(secret);
      await app.close();
      await drop();
    });
  },
  { only: ['sqlite', 'postgresql', 'mongodb'] },
);
