import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Mail } from '../../src/mail/mailer.ts';
import { createMessages, type Messages } from '../../src/mail/messages.ts';
import { createMailTemplates } from '../../src/mail/templates.ts';

const to = 'ann@recipient.example';
const url = 'https://app.example/verify?token=s3cret&lang=en';

let hostDir: string;

beforeEach(() => {
  hostDir = mkdtempSync(join(tmpdir(), 'gatehouse-views-'));
  mkdirSync(join(hostDir, 'mail'));
});

afterEach(() => rmSync(hostDir, { recursive: true }));

function messagesFor(appName: string, extraTemplateDirs: string[] = []): Messages {
  return createMessages({ templates: createMailTemplates({ extraTemplateDirs }), config: { appName } });
}

function hostTemplate(name: string, source: string): void {
  writeFileSync(join(hostDir, 'mail', name), source);
}

type Message = [name: string, write: (messages: Messages) => Promise<Mail>];

const withLink: Message[] = [
  ['verification', m => m.verification({ to, url, ttlSeconds: 86_400 })],
  ['passwordReset', m => m.passwordReset({ to, url, ttlSeconds: 1800 })],
  ['emailChange', m => m.emailChange({ to, url, ttlSeconds: 3600 })],
];

const notices: Message[] = [
  ['emailChangeRequested', m => m.emailChangeRequested({ to, newEmail: 'new@other.example' })],
  ['emailChanged', m => m.emailChanged({ to, newEmail: 'new@other.example' })],
  ['passwordChanged', m => m.passwordChanged({ to })],
  ['passwordResetDone', m => m.passwordResetDone({ to })],
  ['phoneSet', m => m.phoneSet({ to, phoneNumber: '+4915112345678' })],
  ['phoneRemoved', m => m.phoneRemoved({ to })],
  ['identityLinked', m => m.identityLinked({ to, provider: 'google' })],
  ['identityUnlinked', m => m.identityUnlinked({ to, provider: 'google' })],
  ['madeSuperuser', m => m.madeSuperuser({ to })],
];

const everyMessage = [...withLink, ...notices];

it('has a case here for every message', () => {
  expect(everyMessage.map(([name]) => name)).toEqual(Object.keys(messagesFor('Acme')));
});

describe.each(everyMessage)('%s', (_name, write) => {
  it('names the application in subject, text and HTML, and leaves no gap', async () => {
    const mail = await write(messagesFor('Acme'));
    expect(mail.to).toBe(to);
    for (const part of [mail.subject, mail.text, mail.html]) {
      expect(part).toContain('Acme');
      expect(part).not.toMatch(/\{\{|\}\}|\{%|undefined|NaN/);
      expect(part).not.toMatch(/\S {2,}\S/);
    }
    expect(mail.text).not.toMatch(/ (\.|,)|<\w/);
  });

  it('escapes markup in HTML alone', async () => {
    const mail = await write(messagesFor(`A&B <i>"it's"</i>`));
    expect(mail.html).toContain('A&amp;B &lt;i&gt;');
    expect(mail.html).not.toContain('<i>');
    expect(mail.text).toContain(`A&B <i>"it's"</i>`);
    expect(mail.subject).toContain(`A&B <i>"it's"</i>`);
  });

  it('keeps the subject on one line', async () => {
    const mail = await write(messagesFor('Acme\r\nBcc: victim@example.org\u2028\u0000'));
    expect(mail.subject).toContain('Acme Bcc: victim@example.org');
    expect(mail.subject).not.toMatch(/[\p{Cc}\u2028]/u);
  });

  it('loads nothing from elsewhere', async () => {
    const { html } = await write(messagesFor('Acme'));
    expect(html).not.toMatch(/<img|<link|<script|@import|url\(|src=/);
  });
});

it.each(withLink)(
  '%s holds the link on a line of its own in the text, and twice in the HTML',
  async (_, write) => {
    const mail = await write(messagesFor('Acme'));
    expect(mail.text.split('\n')).toContain(url);
    expect(mail.html.split(`href="${url.replace('&', '&amp;')}"`)).toHaveLength(3);
  },
);

it.each(notices)('%s holds no link', async (_, write) => {
  const mail = await write(messagesFor('Acme'));
  expect(mail.text).not.toContain('://');
  expect(mail.html).not.toContain('href');
});

it.each([
  [86_400, '24 hours'],
  [172_800, '2 days'],
  [3600, '1 hour'],
  [5400, '90 minutes'],
  [1800, '30 minutes'],
  [60, '1 minute'],
  [90, '90 seconds'],
  [1, '1 second'],
  [1859, '30 minutes'],
])('writes a lifetime of %i seconds as %s', async (ttlSeconds, words) => {
  const { text, html } = await messagesFor('Acme').verification({ to, url, ttlSeconds });
  expect(text).toContain(`once, for ${words}.`);
  expect(html).toContain(`once, for ${words}.`);
});

it('shows a new address only in part', async () => {
  const { text, html } = await messagesFor('Acme').emailChanged({ to, newEmail: 'someone@other.example' });
  expect(text).toContain('s***@other.example');
  expect(text + html).not.toContain('someone');
});

describe('templates of the host', () => {
  it('come first, file by file', async () => {
    hostTemplate('verification.text.liquid', 'Hello from {{ app_name }}\n{{ url }}\n');
    const mail = await messagesFor('Acme', [hostDir]).verification({ to, url, ttlSeconds: 60 });
    expect(mail.text).toBe(`Hello from Acme\n${url}\n`);
    expect(mail.subject).toBe('Confirm your email address for Acme');
  });

  it('may replace the layout alone', async () => {
    hostTemplate('layout.html.liquid', '<main>{% block content %}{% endblock %}</main>');
    const { html } = await messagesFor('Acme', [hostDir]).passwordChanged({ to });
    expect(html).toMatch(/^<main>\s*<h1[\s\S]*<\/main>\s*$/);
  });

  it('escape markup as the bundled ones do', async () => {
    hostTemplate('verification.html.liquid', '<b>{{ app_name }}</b>');
    const { html } = await messagesFor('<script>', [hostDir]).verification({ to, url, ttlSeconds: 60 });
    expect(html).toBe('<b>&lt;script&gt;</b>');
  });

  // A path in a template, or a name, that climbs out of the directories would read any file of the machine.
  it.each(['../../secret.liquid', '/etc/hostname', '../secret.liquid', 'mail/../../secret.liquid'])(
    'cannot include %s',
    async path => {
      const inner = join(hostDir, 'views');
      mkdirSync(join(inner, 'mail'), { recursive: true });
      writeFileSync(join(hostDir, 'secret.liquid'), 'TOP SECRET');
      writeFileSync(join(inner, 'mail', 'verification.html.liquid'), `{% render '${path}' %}`);
      const mail = messagesFor('Acme', [inner]).verification({ to, url, ttlSeconds: 60 });
      await expect(mail).rejects.toThrow('ENOENT');
    },
  );

  it('are never taken from outside by name', async () => {
    const inner = join(hostDir, 'views');
    mkdirSync(join(inner, 'mail'), { recursive: true });
    for (const form of ['subject', 'text', 'html'])
      writeFileSync(join(hostDir, `x.${form}.liquid`), 'TOP SECRET');
    const templates = createMailTemplates({ extraTemplateDirs: [inner] });
    await expect(templates.render('../../x', {})).rejects.toThrow('ENOENT');
    await expect(templates.render(join(hostDir, 'x'), {})).rejects.toThrow('ENOENT');
  });
});
