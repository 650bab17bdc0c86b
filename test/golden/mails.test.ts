import { expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import type { Mail } from '../../src/mail/mailer.ts';
import { mailNames } from '../../src/mail/mails.ts';
import { createMessages, type Messages } from '../../src/mail/messages.ts';
import { sampleOf } from '../../src/mail/samples.ts';
import { createMailTemplates } from '../../src/mail/templates.ts';
import { pseudoOf } from '../../src/words/pseudo.ts';
import { createWords, shipped } from '../../src/words/words.ts';
import { jwtSecret } from '../support/app.ts';
import { elements, legend, outsideOfBrackets, paragraphs, recorded } from './variants.ts';

const to = 'ann@recipient.example';
const url = 'https://app.example/page?token=sample';
const notMeUrl = 'https://app.example/not-me?token=sample';
const at = new Date('2026-11-02T04:05:06.789Z');

const settings = [
  { name: 'support, forgot', supportContact: 'help@example.org', enableUiRouter: true },
  { name: 'no support, no forgot', enablePasswordReset: false },
];
const acts = [
  { name: 'self', act: { at, by: 'self', ip: '203.0.113.7' } },
  { name: 'self, no address', act: { at, by: 'self', ip: null } },
  { name: 'admin', act: { at, by: 'admin', ip: '203.0.113.7' } },
  { name: 'admin, no address', act: { at, by: 'admin', ip: null } },
  { name: 'cli', act: { at, by: 'cli', ip: null } },
  { name: 'host', act: { at, by: 'host', ip: null } },
] as const;

type Write = (messages: Messages, act: (typeof acts)[number]['act']) => Promise<Mail>;

const lifetimes = [1, 90, 119, 120, 1800, 3600, 7200, 86_400, 172_800, 604_800];
const kinds = ['totp', 'passkey'] as const;

/** The mails of the core, and of some features, with what changes their words. */
const listed: Record<string, Write[]> = {
  verification: lifetimes.map(ttlSeconds => m => m.verification({ to, url, ttlSeconds })),
  passwordReset: [
    m => m.passwordReset({ to, url, ttlSeconds: 3600 }),
    m => m.passwordReset({ to, url, ttlSeconds: 3600, isPasswordStopped: true }),
  ],
  invitation: [m => m.invitation({ to, url, ttlSeconds: 604_800 })],
  emailChange: [m => m.emailChange({ to, url, ttlSeconds: 3600 })],
  addressTaken: (['registration', 'email_change'] as const).map(
    wanted => m => m.addressTaken({ to, wanted }),
  ),
  emailChangeRequested: [(m, act) => m.emailChangeRequested({ to, act, newEmail: 'new@other.example' })],
  emailChanged: [
    (m, act) => m.emailChanged({ to, act, newEmail: 'new@other.example' }),
    (m, act) => m.emailChanged({ to, act, newEmail: 'new@other.example', notMeUrl, apiKeys: 'stay' }),
  ],
  accountDeleted: [(m, act) => m.accountDeleted({ to, act })],
  passwordBlocked: [(m, act) => m.passwordBlocked({ to, act })],
  passwordChanged: [
    (m, act) => m.passwordChanged({ to, act }),
    (m, act) => m.passwordChanged({ to, act, apiKeys: 'stay' }),
  ],
  passwordResetDone: [
    (m, act) => m.passwordResetDone({ to, act }),
    (m, act) => m.passwordResetDone({ to, act, apiKeys: 'ended' }),
  ],
  phoneSet: [
    (m, act) => m.phoneSet({ to, act, phoneNumber: '+447700900140' }),
    (m, act) => m.phoneSet({ to, act, phoneNumber: '+447700900140', notMeUrl }),
  ],
  phoneRemoved: [(m, act) => m.phoneRemoved({ to, act })],
  identityLinked: [
    (m, act) => m.identityLinked({ to, act, provider: 'google' }),
    (m, act) => m.identityLinked({ to, act, provider: 'google', notMeUrl }),
  ],
  identityUnlinked: [(m, act) => m.identityUnlinked({ to, act, provider: 'google' })],
  authenticatorAdded: kinds.flatMap((kind): Write[] => [
    (m, act) => m.authenticatorAdded({ to, act, kind }),
    (m, act) => m.authenticatorAdded({ to, act, kind, notMeUrl }),
  ]),
  authenticatorRemoved: kinds.map(kind => (m, act) => m.authenticatorRemoved({ to, act, kind })),
  recoveryCodeUsed: [0, 1, 2, 3, 4, 9].map(left => (m, act) => m.recoveryCodeUsed({ to, act, left })),
  recoveryCodesReplaced: [
    (m, act) => m.recoveryCodesReplaced({ to, act }),
    (m, act) => m.recoveryCodesReplaced({ to, act, notMeUrl }),
  ],
  newSignIn: [
    (m, act) => m.newSignIn({ to, act, device: 'Firefox on Linux' }),
    (m, act) => m.newSignIn({ to, act, device: null, notMeUrl }),
  ],
  notMeReported: [true, false].flatMap(isClosed =>
    [true, false].map(
      (isPasswordNeeded): Write =>
        (m, act) =>
          m.notMeReported({ to, act, isClosed, isPasswordNeeded, apiKeys: isClosed ? 'closed' : null }),
    ),
  ),
  secondStepFailed: [
    (m, act) => m.secondStepFailed({ to, act }),
    (m, act) => m.secondStepFailed({ to, act, notMeUrl }),
  ],
  madeSuperuser: [true, false].map(isTakenOver => (m, act) => m.madeSuperuser({ to, act, isTakenOver })),
};

/** Every mail: those that are not listed are mails of features. */
const mails: Record<string, Write[]> = {
  ...listed,
  ...Object.fromEntries(
    mailNames
      .filter(name => !Object.hasOwn(listed, name))
      .map(name => [name, [(m: Messages) => sampleOf(m, name)]]),
  ),
};

test('every mail is in English what it was', async () => {
  const messages = settings.map(({ name, ...given }) => {
    const { config } = loadConfig({
      arguments: { jwtSecret, baseUrl: 'https://app.example', appName: 'Pages & Co', ...given },
      env: {},
      cwd: import.meta.dirname,
    });
    return { name, write: createMessages({ templates: createMailTemplates(config), config }) };
  });
  const variants = messages.flatMap(each =>
    acts.map(({ name, act }) => ({ ...each, act, of: `${each.name}; ${name}` })),
  );
  const parts: string[] = [legend(variants.map(({ of }) => of))];
  for (const [kind, writes] of Object.entries(mails)) {
    for (const [index, write] of writes.entries()) {
      const written = await Promise.all(
        variants.map(async ({ write: m, act, of }) => ({ variant: of, mail: await write(m, act) })),
      );
      const of = (member: 'subject' | 'text' | 'html') =>
        written.map(({ variant, mail }) => ({ variant, text: mail[member] }));
      const title = `${kind} ${index}`;
      parts.push(
        recorded(`${title}: subject`, of('subject'), text => [text]),
        recorded(`${title}: text`, of('text'), paragraphs),
        recorded(`${title}: HTML`, of('html'), html => elements(html).filter(isOwn)),
      );
    }
    const { html } = await writes[0]!(messages[0]!.write, acts[0].act);
    if (kind === 'verification') parts.push(recorded('layout', [{ variant: '', text: html }], elements));
  }
  await expect(`${parts.join('\n')}\n`).toMatchFileSnapshot('mails.txt');
});

/** Whether a block is a mail's own, not the layout's. */
const isOwn = (block: string) => !/^<(?:!|meta|head|html|title|table|tr|td|body)/.test(block);

test('every text of a mail is a message or data', async () => {
  const words = createWords([pseudoOf(shipped('en')), shipped('en')]);
  const data = [
    ...[
      'Pages &amp; Co',
      'Pages & Co',
      'Firefox on Linux',
      'google',
      'help@example.org',
      'n***@other.example',
    ],
    ...[url, notMeUrl, 'https://app.example/account/forgot', 'https://app.example/account/login'],
  ];
  const left: string[] = [];
  for (const { name: _, ...given } of settings) {
    const { config } = loadConfig({
      arguments: { jwtSecret, baseUrl: 'https://app.example', appName: 'Pages & Co', ...given },
      env: {},
      cwd: import.meta.dirname,
    });
    const messages = createMessages({ templates: createMailTemplates(config), config, words });
    for (const [kind, writes] of Object.entries(mails)) {
      for (const write of writes) {
        for (const { act } of acts.slice(0, 3)) {
          const { subject, text, html } = await write(messages, act);
          for (const each of [subject, text, html])
            left.push(...outsideOfBrackets(each, data).map(words => `${kind}: ${words}`));
        }
      }
    }
  }
  expect([...new Set(left)]).toEqual([]);
});
