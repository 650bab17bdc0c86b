import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Mailer } from '../../mail/mailer.ts';
import type { SmsSender } from '../../sms/sender.ts';

/** A mail or a text message as the page shows it. */
export interface InboxMessage {
  number: number;
  kind: 'mail' | 'text';
  to: string;
  /** When it was sent, in RFC 3339. */
  at: string;
  subject: string;
  text: string;
  hasHtml: boolean;
  /** The addresses in its text, in their order. */
  links: string[];
  /** The codes in its text. */
  codes: string[];
}

interface Kept {
  shown: InboxMessage;
  html: string | null;
}

export type Inbox = ReturnType<typeof createInbox>;

/** How many messages are kept. */
const most = 200;
/** How long a browser waits before it connects again, in milliseconds. */
const retryMs = 2000;

/** Returns an inbox in memory for the mails and text messages of one process. */
export function createInbox() {
  // Numbers begin anew with each process, so a browser that has those of a former one starts over.
  const run = randomUUID();
  const kept: Kept[] = [];
  const streams = new Set<ServerResponse>();
  let last = 0;

  function add(
    message: Omit<InboxMessage, 'number' | 'at' | 'hasHtml' | 'links' | 'codes'>,
    html: string | null,
  ) {
    const { text } = message;
    const shown = {
      ...{ number: ++last, at: new Date().toISOString(), hasHtml: html !== null },
      ...message,
      ...{ links: linksIn(text), codes: codesIn(message) },
    };
    kept.push({ shown, html });
    if (kept.length > most) kept.shift();
    for (const stream of streams) stream.write(eventOf(shown));
  }

  const eventOf = (shown: InboxMessage) => `id: ${run} ${shown.number}\ndata: ${JSON.stringify(shown)}\n\n`;

  return {
    /** Returns the mailer with which the inbox has a copy of each mail that was sent. */
    copyMails: (mailer: Mailer): Mailer => ({
      ...mailer,
      async send(mail) {
        await mailer.send(mail);
        const { to, subject, text, html } = mail;
        add({ kind: 'mail', to, subject, text }, html);
      },
    }),

    /** Returns the sender with which the inbox has a copy of each text message that was sent. */
    copyTexts: (sender: SmsSender): SmsSender => ({
      ...sender,
      async send(message) {
        await sender.send(message);
        add({ kind: 'text', subject: '', ...message }, null);
      },
    }),

    /** Returns the HTML of a mail; null where there is none. */
    htmlOf: (number: number): string | null =>
      kept.find(({ shown }) => shown.number === number)?.html ?? null,

    /**
     * Sends the messages after those that the browser has, and each later one when it is there (server-sent events).
     * `lastEventId` is the header by which a browser that connects again says what it has.
     */
    follow(res: ServerResponse, lastEventId: string | undefined, headers: Record<string, string>): void {
      const [knownRun, number] = (lastEventId ?? '').split(' ');
      const after = knownRun === run ? Number(number) : 0;
      res.writeHead(200, { ...headers, 'Content-Type': 'text/event-stream; charset=utf-8' });
      res.write(`retry: ${retryMs}\n\n`);
      if (after === 0) res.write('event: begin\ndata:\n\n');
      for (const { shown } of kept) if (shown.number > after) res.write(eventOf(shown));
      streams.add(res);
      res.once('close', () => streams.delete(res));
    },

    /** Ends every stream, so that the server can stop. */
    close(): void {
      for (const stream of streams) stream.end();
    },
  };
}

/** Returns the addresses in a text, without the punctuation after them. */
const linksIn = (text: string): string[] => [
  ...new Set((text.match(/https?:\/\/[^\s<>"]+/g) ?? []).map(link => link.replace(/[).,;:!?\]]+$/, ''))),
];

/** Returns the codes in a message: any in a text message, and in a mail those that stand alone on a line. */
const codesIn = ({ kind, text }: Pick<InboxMessage, 'kind' | 'text'>): string[] =>
  text.match(kind === 'text' ? /\b\d{4,10}\b/g : /(?<=^[ \t]*)\d{4,10}(?=[ \t]*$)/gm) ?? [];
