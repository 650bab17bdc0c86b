import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type App, type Member, password, signUp, startApp, TestClock, tokenOf } from '../../support/app.ts';
import { describeStory } from '../../support/backends.ts';
import { doorsOn, resultOf } from '../../support/doors.ts';
import { eventually } from '../../support/eventually.ts';
import { storedSettings } from '../../support/outbox.ts';
import { newAddress, signUpSuperuser } from '../../support/people.ts';
import { otherSecret, type Received, startReceiver, webhookSecret } from '../../support/webhooks.ts';

const monthMs = 30 * 86_400_000;

describeStory('webhooks', backend => {
  let receiver: Awaited<ReturnType<typeof startReceiver>>;
  let app: App;
  let root: Member;
  beforeAll(async () => {
    receiver = await startReceiver();
    const url = (path: string) => `${receiver.origin}${path}`;
    app = await startApp({
      backend,
      // Receivers compare the time of a delivery with their own.
      clock: new TestClock(new Date().toISOString()),
      settings: {
        ...storedSettings,
        ...{ enableAdminRouter: true, enableMetrics: true, locales: ['en', 'de'] },
        webhooks: {
          all: { url: url('/all'), secret: webhookSecret, secretPrevious: otherSecret },
          logins: { url: url('/logins?key=s3cret'), secret: otherSecret, events: ['user_logged_in'] },
        },
      },
    });
    root = await signUpSuperuser(app);
    await delivered();
    receiver.received.length = 0;
  });
  afterAll(async () => {
    await app?.close();
    await receiver?.close();
  });
  const rows = () => app.gatehouse.repositories.outbox;
  const listed = async () => (await rows().list({}, { limit: 100 })).filter(({ kind }) => kind === 'webhook');
  /** Waits until nothing is under way; what was given up stays. */
  const delivered = () =>
    eventually(async () => expect((await listed()).every(({ state }) => state === 'dead')).toBe(true));
  const types = (path: string) => receiver.at(path).map(({ event }) => event.type);
  const asRoot = () => ({ token: root.token });
  const act = (name: string, operation: string) =>
    app.rest('POST', `/admin/webhooks/${name}/${operation}`, {}, asRoot());
  const updateRoot = (name: string) => app.rest('PATCH', '/me', { full_name: name }, asRoot());
  const stateOf = async (name: string) =>
    (await app.rest('GET', '/admin/webhooks', undefined, asRoot())).body.items.find(
      (each: { name: string }) => each.name === name,
    );
  afterEach(async () => {
    receiver.behave('/all', 204);
    await act('all', 'enable');
    for (const { id } of await listed()) await rows().remove(id);
    await delivered();
    receiver.received.length = 0;
  });

  test('tell each endpoint of the events that it wants, signed with both secrets, without a token', async () => {
    const email = newAddress();
    await app.rest('POST', '/register', { email, password });
    const token = tokenOf(await app.nextMail(email));
    const user = (await app.rest('POST', '/verify', { token })).body;
    await app.rest('POST', '/login', { email, password });
    await delivered();
    expect(types('/all').toSorted()).toEqual([
      ...['user_logged_in', 'user_registered', 'user_verified', 'verification_requested'],
    ]);
    expect(types('/logins?key=s3cret')).toEqual(['user_logged_in']);

    const of = (type: string): Received => receiver.at('/all').find(({ event }) => event.type === type)!;
    const registered = of('user_registered');
    expect(registered.event).toEqual({
      type: 'user_registered',
      timestamp: app.clock.now().toISOString(),
      data: { user, by: 'self' },
    });
    expect(registered.headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': expect.stringMatching(/^Gatehouse\/\d/),
      'webhook-id': expect.stringMatching(/^msg_[\w-]+$/),
    });
    const verify = (secret: string, { headers, body }: Received) =>
      new Webhook(secret).verify(body, headers as Record<string, string>);
    // While a secret is rotated, receivers that have either of the two accept it.
    for (const secret of [webhookSecret, otherSecret])
      expect(verify(secret, registered)).toEqual(registered.event);
    const [login] = receiver.at('/logins?key=s3cret');
    expect(verify(otherSecret, login!)).toEqual(login!.event);
    expect(() => verify(webhookSecret, login!)).toThrow('No matching signature');
    expect(new Set(receiver.at('/all').map(({ id }) => id)).size).toBe(4);

    const { data } = of('verification_requested').event;
    expect(data).toEqual({ email, url_without_token: expect.stringContaining('/account/verify') });
    expect(receiver.received.map(({ body }) => body).join()).not.toContain(token);
    const log = JSON.stringify(app.logs);
    for (const secret of [token, 's3cret', webhookSecret.slice(6), otherSecret.slice(6)])
      expect(log).not.toContain(secret);
  });

  test('do not follow a redirect, and try again under the same id', async () => {
    receiver.behave('/all', { status: 307, headers: { Location: `${receiver.origin}/elsewhere` } });
    await updateRoot('One');
    const [row] = await eventually(async () => {
      const [row] = await listed();
      expect(row).toMatchObject({ state: 'waiting', attempts: 1, purpose: 'user_updated', recipient: 'all' });
      return [row!];
    });
    expect(row.lastError).toBe('http_307: it answered 307');
    expect(receiver.at('/elsewhere')).toEqual([]);
    receiver.behave('/all', 204);
    app.clock.advance(1000);
    await rows().retry(row.id, monthMs);
    await delivered();
    const [first, second] = receiver.at('/all');
    expect([second!.id, second!.body]).toEqual([first!.id, first!.body]);
    expect(second!.headers['webhook-timestamp']).not.toBe(first!.headers['webhook-timestamp']);
    const warnings = app.logs.filter(({ message }) => message === 'webhook not delivered, will be retried');
    expect(warnings.at(-1)!.fields).toEqual({
      ...{ webhook: 'all', event: 'user_updated', id: first!.id, attempt: 1 },
      ...{ code: 'http_307', reason: 'it answered 307' },
    });
    expect(JSON.stringify(app.logs)).not.toContain('s3cret');
  });

  test('are switched off by an endpoint that is gone, keep what happens then, and replay it', async () => {
    receiver.behave('/all', 410);
    await updateRoot('Gone');
    await eventually(async () => expect(await stateOf('all')).toMatchObject({ is_off: true, dead: 1 }));
    expect(await stateOf('all')).toMatchObject({
      ...{ name: 'all', origin: receiver.origin, events: [], waiting: 0 },
      ...{ off_at: expect.stringMatching(/Z$/), off_reason: 'it answered 410: it is gone' },
    });
    await updateRoot('Off');
    await eventually(async () => expect(await stateOf('all')).toMatchObject({ waiting: 0, dead: 2 }));
    expect(receiver.at('/all')).toHaveLength(1);
    // The other endpoint is none of its business.
    await app.rest('POST', '/login', { email: root.email, password: root.password });
    await eventually(() => expect(types('/logins?key=s3cret')).toEqual(['user_logged_in']));
    const off = app.logs.filter(({ message }) => message === 'a webhook was switched off');
    expect(off.map(({ level, fields }) => [level, fields])).toEqual([
      ['error', { webhook: 'all', reason: 'it answered 410' }],
    ]);
    const metrics = await app.gatehouse.metrics!.text();
    expect(metrics).toContain('gatehouse_webhook_off{webhook="all"} 1\n');
    expect(metrics).toContain('gatehouse_webhook_off{webhook="logins"} 0\n');
    expect(metrics).toMatch(/gatehouse_webhook_deliveries_total\{webhook="all",outcome="dead"\} \d/);
    expect(metrics).toContain('gatehouse_outbox_messages{kind="webhook",state="dead"} 3\n');
    expect((await app.gatehouse.status()).checks.webhooks).toEqual({ status: 'off', off: ['all'] });

    receiver.behave('/all', 204);
    expect((await act('all', 'enable')).body).toEqual({ message: 'The webhook is on, within seconds.' });
    expect((await act('all', 'enable')).body).toEqual({ message: 'The webhook was on.' });
    expect((await act('all', 'replay')).body).toEqual({
      ...{ message: '3 deliveries will be tried again within seconds.', replayed: 3 },
    });
    await eventually(() => expect(receiver.at('/all')).toHaveLength(4));
    await delivered();
    const [gone, ...replayed] = receiver.at('/all');
    expect(replayed.map(({ id }) => id)).toContain(gone!.id);
    expect(await stateOf('all')).toMatchObject({ is_off: false, off_at: null, waiting: 0, dead: 0 });
    expect((await app.gatehouse.status()).checks.webhooks).toEqual({ status: 'ok' });
  });

  describe.each(doorsOn(backend))('through $name', door => {
    test('are tested, whether on or off, and answer for their names alone', async () => {
      const call = door.at(app);
      const taken = await resultOf(call('adminTestWebhook', { name: 'all' }, asRoot()));
      expect(taken).toEqual({ is_taken: true, problem: null, milliseconds: expect.any(Number) });
      expect(receiver.at('/all')[0]!.event).toMatchObject({ type: 'webhook_test', data: { webhook: 'all' } });
      receiver.behave('/all', 500);
      expect(await resultOf(call('adminTestWebhook', { name: 'all' }, asRoot()))).toMatchObject({
        ...{ is_taken: false, problem: 'it answered 500' },
      });
      for (const operation of ['adminTestWebhook', 'adminEnableWebhook', 'adminReplayWebhook'] as const)
        expect(await call(operation, { name: 'none' }, asRoot())).toMatchObject({ code: 'not_found' });
      const { items } = await resultOf(call('webhooks', undefined, asRoot()));
      expect(items.map(({ name }: { name: string }) => name)).toEqual(['all', 'logins']);
      expect(items[1]).toMatchObject({ events: ['user_logged_in'], is_off: false, failing_since: null });
    });
  });

  test('say why a test was not taken in the language of whoever asks', async () => {
    receiver.behave('/all', 500);
    const headers = { 'Accept-Language': 'de' };
    const { body } = await app.rest('POST', '/admin/webhooks/all/test', {}, { ...asRoot(), headers });
    expect(body).toMatchObject({ is_taken: false, problem: 'er hat mit 500 geantwortet' });
  });

  test('are named by the audit records of what was done with them', async () => {
    const changes: unknown[] = [];
    const stop = app.gatehouse.on('audit', ({ act, changes: what }) => void changes.push([act, what]));
    await act('all', 'test');
    await act('all', 'enable');
    await act('all', 'replay');
    await act('none', 'replay');
    stop();
    expect(changes).toEqual([
      ['adminTestWebhook', ['webhooks.all']],
      ['adminEnableWebhook', ['webhooks.all']],
      ['adminReplayWebhook', ['webhooks.all']],
      ['adminReplayWebhook', null],
    ]);
  });

  test('store the event before the act is acknowledged, and none for an act that was refused', async () => {
    const { add } = rows();
    const added: string[] = [];
    rows().add = async row => {
      if (row.kind === 'webhook') added.push(row.purpose);
      await add(row);
    };
    await app.rest('POST', '/login', { email: root.email, password: 'a wrong one' });
    expect(added).toEqual([]);
    await app.rest('POST', '/login', { email: root.email, password: root.password });
    expect(added).toEqual(['user_logged_in', 'user_logged_in']);
    rows().add = () => Promise.reject(new Error('the disk is full'));
    expect((await updateRoot('Full')).status).toBe(500);
    rows().add = add;
  });
});

test('an instance without webhooks has no operation, no metric and no tab of them', async () => {
  const app = await startApp({
    settings: { ...storedSettings, enableAdminRouter: true, enableUiRouter: true, enableMetrics: true },
  });
  const { token } = await signUpSuperuser(app);
  expect((await app.rest('GET', '/admin/webhooks', undefined, { token })).status).toBe(404);
  expect(await app.gatehouse.graphqlSdl()).not.toMatch(/\bWebhook\b|WebhookList/);
  expect(await app.gatehouse.metrics!.text()).not.toContain('gatehouse_webhook');
  const page = await (await fetch(`${app.origin}/account/admin`)).text();
  expect(page).not.toContain('data-tab="webhooks"');
  expect(await signUp(app)).toBeDefined();
  await app.close();
});
