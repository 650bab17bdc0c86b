import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import type { ConfigInput } from '../../src/config/schema.ts';
import { featureMails } from '../../src/feature-parts.ts';
import type { Mail } from '../../src/mail/mailer.ts';
import { type MailName, mailKindOf, mails } from '../../src/mail/mails.ts';
import { createMessages, type Messages } from '../../src/mail/messages.ts';
import { sampleOf } from '../../src/mail/samples.ts';
import { createMailTemplates } from '../../src/mail/templates.ts';
import { english } from '../../src/words/words.ts';
import { jwtSecret } from '../support/app.ts';

const to = 'ada@example.org';
const url = 'https://app.example/verify?token=s3cret&lang=en';
/** What every notice is made of. */
type Notice = Parameters<Messages['passwordChanged']>[0];

const act = { at: new Date('2026-11-02T04:05:06.789Z'), by: 'self', ip: '203.0.113.7' } as const;
const usual: Notice = { to, act };

let hostDir: string;

beforeEach(() => {
  hostDir = mkdtempSync(join(tmpdir(), 'gatehouse-views-'));
  mkdirSync(join(hostDir, 'mail'));
});

afterEach(() => rmSync(hostDir, { recursive: true }));

function messagesFor(
  appName: string,
  extraTemplateDirs: string[] = [],
  settings: ConfigInput = { enableUiRouter: true },
): Messages {
  const { config } = loadConfig({
    arguments: { jwtSecret, baseUrl: 'https://app.example', ...settings },
    env: {},
    cwd: import.meta.dirname,
  });
  return createMessages({
    templates: createMailTemplates({ extraTemplateDirs }),
    config: { ...config, appName },
  });
}

function hostTemplate(name: string, source: string): void {
  writeFileSync(join(hostDir, 'mail', name), source);
}

type Message = [name: string, write: (messages: Messages, notice?: Notice) => Promise<Mail>];

const withoutLink: Message[] = [['addressTaken', m => m.addressTaken({ to, wanted: 'registration' })]];

const withLink: Message[] = [
  ['verification', m => m.verification({ to, url, ttlSeconds: 86_400 })],
  ['passwordReset', m => m.passwordReset({ to, url, ttlSeconds: 1800 })],
  ['invitation', m => m.invitation({ to, url, ttlSeconds: 604_800 })],
  ['emailChange', m => m.emailChange({ to, url, ttlSeconds: 3600 })],
];

/** Notices to somebody whom a new password helps. */
const withAdvice: Message[] = [
  [
    'emailChangeRequested',
    (m, notice = usual) => m.emailChangeRequested({ ...notice, newEmail: 'new@other.example' }),
  ],
  ['secondStepFailed', (m, notice = usual) => m.secondStepFailed(notice)],
  ['passwordBlocked', (m, notice = usual) => m.passwordBlocked(notice)],
  ['passwordChanged', (m, notice = usual) => m.passwordChanged(notice)],
  ['passwordResetDone', (m, notice = usual) => m.passwordResetDone(notice)],
  ['phoneSet', (m, notice = usual) => m.phoneSet({ ...notice, phoneNumber: '+4915112345678' })],
  ['phoneRemoved', (m, notice = usual) => m.phoneRemoved(notice)],
  ['identityLinked', (m, notice = usual) => m.identityLinked({ ...notice, provider: 'google' })],
  ['authenticatorAdded', (m, notice = usual) => m.authenticatorAdded({ ...notice, kind: 'totp' })],
  ['authenticatorRemoved', (m, notice = usual) => m.authenticatorRemoved({ ...notice, kind: 'passkey' })],
  ['recoveryCodeUsed', (m, notice = usual) => m.recoveryCodeUsed({ ...notice, left: 3 })],
  ['recoveryCodesReplaced', (m, notice = usual) => m.recoveryCodesReplaced(notice)],
  ['identityUnlinked', (m, notice = usual) => m.identityUnlinked({ ...notice, provider: 'google' })],
  [
    'notMeReported',
    (m, notice = usual) => m.notMeReported({ ...notice, isClosed: true, isPasswordNeeded: true }),
  ],
];

const withoutAdvice: Message[] = [
  ['accountDeleted', (m, notice = usual) => m.accountDeleted(notice)],
  ['newSignIn', (m, notice = usual) => m.newSignIn({ ...notice, device: 'Firefox on Linux' })],
  ['emailChanged', (m, notice = usual) => m.emailChanged({ ...notice, newEmail: 'new@other.example' })],
  ['madeSuperuser', (m, notice = usual) => m.madeSuperuser({ ...notice, isTakenOver: false })],
];

const notices = [...withAdvice, ...withoutAdvice];
/** Those of features that no case above has. */
const ofFeatures = Object.keys(featureMails)
  .filter(name => !notices.some(([listed]) => listed === name))
  .map((name): Message => [name, m => sampleOf(m, name as MailName)]);
const everyMessage = [...withoutLink, ...withLink, ...notices, ...ofFeatures];

it('has a case here for every message', () => {
  expect(everyMessage.map(([name]) => name).sort()).toEqual(Object.keys(messagesFor('Acme')).sort());
});

describe.each(everyMessage)('%s', (name, write) => {
  it('says its kind, its locale, and exactly the variables that are documented', async () => {
    const { kind, locale, variables } = await write(messagesFor('Acme'));
    expect([kind, locale]).toEqual([mailKindOf(name as MailName), 'en']);
    expect(mails[name as MailName].variables.strict().safeParse(variables).error?.issues).toBeUndefined();
  });

  it('has templates that use only these variables', async () => {
    const { Liquid } = await import('liquidjs');
    const kind = mailKindOf(name as MailName);
    const views = join(import.meta.dirname, '../../views');
    const engine = new Liquid({ root: views });
    for (const part of ['subject.liquid', 'text.liquid', 'html.liquid']) {
      const template = await engine.parseFile(`mail/${kind}.${part}`);
      const used = await engine.globalVariables(template, { partials: true });
      const known = Object.keys(mails[name as MailName].variables.shape);
      expect(used.filter(variable => !known.includes(variable))).toEqual([]);
    }
  });

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

  it('leaves no gap where a contact is named, either', async () => {
    const mail = await write(messagesFor('Acme', [], { supportContact: 'help@acme.example' }));
    for (const part of [mail.subject, mail.text, mail.html]) {
      expect(part).not.toMatch(/\{\{|\}\}|\{%|undefined|NaN/);
      expect(part).not.toMatch(/\S {2,}\S/);
    }
    expect(mail.text).not.toMatch(/ (\.|,)|<\w/);
  });

  it('escapes markup in HTML alone', async () => {
    const mail = await write(messagesFor(`A&B <i>"it's"</i>`));
    expect(mail.html).toContain('A&amp;B &lt;i&gt;');
    expect(mail.html).not.toContain('<i>');
    // A line may end between the words.
    expect(mail.text.replaceAll('\n', ' ')).toContain(`A&B <i>"it's"</i>`);
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

it.each(withoutAdvice)('%s holds no link', async (_, write) => {
  const mail = await write(messagesFor('Acme'));
  expect(mail.text).not.toContain('://');
  expect(mail.html).not.toContain('href');
});

describe.each(withAdvice)('%s', (_, write) => {
  const forgot = 'https://app.example/account/forgot';

  it('leads to the page where one asks for a new password', async () => {
    const { text, html } = await write(messagesFor('Acme'));
    expect(text.split('\n')).toContain(forgot);
    expect(html).toContain(`href="${forgot}"`);
  });

  it('leads to the login page of an application with pages of its own', async () => {
    const login = 'https://app.example/#/sign-in';
    const { text, html } = await write(messagesFor('Acme', [], { urls: { login } }));
    expect(text.split('\n')).toContain(login);
    expect(html).toContain(`href="${login}"`);
  });

  it.each([
    ['there are no pages', {}],
    [
      'passwords are not reset by mail',
      { enableUiRouter: true, enablePasswordReset: false, urls: { login: 'https://app.example/in' } },
    ],
  ])('holds no link where %s', async (_, settings) => {
    const { text, html } = await write(messagesFor('Acme', [], settings));
    expect(text).not.toContain('://');
    expect(html).not.toContain('href');
  });
});

describe.each(notices)('%s', (_, write) => {
  /** The mail as if that had been done. */
  async function written(more: Partial<Notice['act']>) {
    const { text, html } = await write(messagesFor('Acme'), { to, act: { ...act, ...more } });
    return { text, lines: text.split('\n'), html };
  }

  it('says when it was done, in UTC, and from which address', async () => {
    const { lines, html } = await written({});
    for (const line of ['When: 2 November 2026, 04:05 UTC', 'From: the network address 203.0.113.7']) {
      expect(lines).toContain(line);
      expect(html).toContain(line);
    }
  });

  it('says that an administrator, an operator of the server, or the application did it', async () => {
    const byAdmin = await written({ by: 'admin' });
    expect(byAdmin.lines).toContain('By: an administrator, from the network address 203.0.113.7');
    const byOperator = await written({ by: 'cli', ip: null });
    expect(byOperator.lines).toContain('By: an operator, on the command line of the server');
    expect(byOperator.text).not.toMatch(/network|null/);
    expect(byOperator.html).toContain('an operator, on the command line of the server');
    const byHost = await written({ by: 'host', ip: null });
    expect(byHost.lines).toContain('By: the application itself');
    expect(byHost.text).not.toMatch(/network|null/);
    expect(byHost.html).toContain('the application itself');
  });

  // Where a host trusts every proxy, a stranger writes what stands in X-Forwarded-For.
  it('names nothing that is no address', async () => {
    const { text, html } = await written({ ip: 'call +44 800 1234 <b>now</b>' });
    expect(text + html).not.toMatch(/From:|800|<b>/);
    expect((await written({ ip: null })).text).not.toMatch(/From:|null/);
    expect((await written({ ip: '2001:db8::1' })).text).toContain('2001:db8::1');
  });

  // Shows 63b/4.6#contact.
  it('names the contact of the configuration where it says to ask for help', async () => {
    const messages = messagesFor('Acme', [], { supportContact: 'help@acme.example' });
    const { text, html } = await write(messages);
    expect(text.replace(/\s+/g, ' ')).toContain('the people who run Acme (help@acme.example).');
    expect(html).toMatch(
      /the people who run Acme \(<a [^>]*href="mailto:help@acme\.example"[^>]*>help@acme\.example<\/a>\)\./,
    );
  });
});

it('gives no advice about the password to somebody whom administration has helped', async () => {
  const { text, html } = await messagesFor('Acme').phoneRemoved({ to, act: { ...act, by: 'admin' } });
  expect(text).toContain('If you did not ask for it, tell');
  expect(text + html).not.toMatch(/password|:\/\//);
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

it.each([
  ['newSignIn', (m: Messages) => m.newSignIn({ ...usual, notMeUrl: url, device: null })],
  ['phoneSet', (m: Messages) => m.phoneSet({ ...usual, notMeUrl: url, phoneNumber: '+4915112345678' })],
  [
    'emailChanged',
    (m: Messages) => m.emailChanged({ ...usual, notMeUrl: url, newEmail: 'new@other.example' }),
  ],
  ['identityLinked', (m: Messages) => m.identityLinked({ ...usual, notMeUrl: url, provider: 'google' })],
  ['authenticatorAdded', (m: Messages) => m.authenticatorAdded({ ...usual, notMeUrl: url, kind: 'totp' })],
  ['recoveryCodesReplaced', (m: Messages) => m.recoveryCodesReplaced({ ...usual, notMeUrl: url })],
] as const)(
  '%s has the link "this was not me" on a line of its own, and says for how long it works',
  async (_, write) => {
    const { text, html } = await write(messagesFor('Acme'));
    expect(text.split('\n')).toContain(url);
    expect(text.replace(/\s+/g, ' ')).toContain('The link works for seven days.');
    expect(html).toContain(`href="${url.replace('&', '&amp;')}"`);
    // One thing to do, and not two.
    expect(text).not.toContain('choose a new');
  },
);

it('says which kind of authenticator was added or removed', async () => {
  for (const [kind, words] of [
    ['totp', 'An authenticator app'],
    ['passkey', 'A passkey'],
  ] as const) {
    const messages = messagesFor('Acme');
    const added = await messages.authenticatorAdded({ ...usual, kind });
    const removed = await messages.authenticatorRemoved({ ...usual, kind });
    expect(added.subject).toBe(`${words} was added to your account at Acme`);
    expect(removed.subject).toBe(`${words} was removed from your account at Acme`);
  }
});

it.each([
  [0, 'No recovery codes are left: make new ones on your account page.'],
  [1, 'One recovery code is left: make new ones on your account page.'],
  [3, '3 recovery codes are left: make new ones on your account page.'],
  [4, '4 recovery codes are left.'],
])('says that %i recovery codes are left, and advises on new ones in time', async (left, words) => {
  const { text, html } = await messagesFor('Acme').recoveryCodeUsed({ ...usual, left });
  expect(text).toContain(words);
  expect(html).toContain(words);
});

it('shows a new address only in part', async () => {
  const { text, html } = await messagesFor('Acme').emailChanged({
    ...usual,
    newEmail: 'someone@other.example',
  });
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
    const { html } = await messagesFor('Acme', [hostDir]).passwordChanged(usual);
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
    await expect(templates.render('../../x', {}, english)).rejects.toThrow('ENOENT');
    await expect(templates.render(join(hostDir, 'x'), {}, english)).rejects.toThrow('ENOENT');
  });
});

describe.each(notices)('%s, which tells people to ask for help', (_name, write) => {
  it('names an address or a page to ask at', async () => {
    const byMail = await write(messagesFor('Acme', [], { supportContact: 'help+x@acme.example' }));
    expect(byMail.text.replace(/\s+/g, ' ')).toContain('people who run Acme (help+x@acme.example)');
    expect(byMail.html).toContain('people who run Acme (<a class="link" href="mailto:help+x@acme.example"');
    const byPage = await write(
      messagesFor('Acme', [], { supportContact: 'https://acme.example/help?a=1&b="2"' }),
    );
    expect(byPage.text).toContain('(https://acme.example/help?a=1&b="2")');
    expect(byPage.html).toContain('href="https://acme.example/help?a=1&amp;b=&#34;2&#34;"');
  });

  it('names no support contact where none is configured', async () => {
    const { text, html } = await write(messagesFor('Acme'));
    expect(text.replace(/\s+/g, ' ')).toMatch(/people who run Acme(\.| at once\.)/);
    expect(html).toMatch(/people who run Acme(\.| at once\.)/);
  });
});
