/** The parts of a mail that tests look at; `text` and `html` are empty when the mail has none. */
export interface MailContent {
  subject: string;
  text: string;
  html: string;
}

/** Reads a mail as our own mailer writes it: text and HTML parts in any nesting, encoded words, no attachments. */
export function parseMail(raw: Buffer): MailContent {
  // One character per byte until the character set is known.
  const entity = parseEntity(raw.toString('latin1'));
  const content = { subject: decodeWords(entity.headers.get('subject') ?? ''), text: '', html: '' };
  collectParts(entity, content);
  return content;
}

interface Entity {
  headers: Map<string, string>;
  body: string;
}

function parseEntity(source: string): Entity {
  const [head = '', ...rest] = source.split('\r\n\r\n');
  // RFC 5322 §2.2.3: a line break before white space is only folding.
  const lines = head.replace(/\r\n(?=[ \t])/g, '').split('\r\n');
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  return { headers: new Map(headers), body: rest.join('\r\n\r\n') };
}

function collectParts({ headers, body }: Entity, content: MailContent): void {
  const type = headers.get('content-type') ?? 'text/plain';
  if (/^multipart\//i.test(type)) {
    const boundary = parameter(type, 'boundary');
    // RFC 2046 §5.1.1: the line break before a delimiter belongs to it; what surrounds the parts is ignored.
    const parts = `\r\n${body}`.split(`\r\n--${boundary}`).slice(1, -1);
    for (const part of parts) collectParts(parseEntity(part.slice(part.indexOf('\r\n') + 2)), content);
    return;
  }
  const bytes = decodeBody(body, headers.get('content-transfer-encoding')?.toLowerCase());
  const decoded = new TextDecoder(parameter(type, 'charset') ?? 'utf-8')
    .decode(bytes)
    .replaceAll('\r\n', '\n');
  content[/^text\/html/i.test(type) ? 'html' : 'text'] += decoded;
}

function parameter(header: string, name: string): string | undefined {
  const match = new RegExp(`;\\s*${name}=(?:"([^"]*)"|([^;\\s]+))`, 'i').exec(header);
  return match?.[1] ?? match?.[2];
}

function decodeBody(body: string, encoding?: string): Buffer {
  if (encoding === 'base64') return Buffer.from(body, 'base64');
  if (encoding === 'quoted-printable') return decodeQuoted(body.replace(/=\r\n/g, ''));
  return Buffer.from(body, 'latin1');
}

function decodeWords(header: string): string {
  // RFC 2047 §6.2: white space between two encoded words is not shown.
  return header
    .replace(/(\?=)\s+(?==\?)/g, '$1')
    .replace(/=\?([^?]+)\?([bq])\?([^?]*)\?=/gi, (_, charset: string, encoding: string, word: string) => {
      const isBase64 = encoding.toLowerCase() === 'b';
      const bytes = isBase64 ? Buffer.from(word, 'base64') : decodeQuoted(word.replaceAll('_', ' '));
      return new TextDecoder(charset).decode(bytes);
    });
}

function decodeQuoted(text: string): Buffer {
  const bytes = text.replace(/=([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(bytes, 'latin1');
}
