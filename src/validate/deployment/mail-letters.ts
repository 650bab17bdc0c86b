import type { Email } from 'postal-mime';
import { type Letters, type Place, tokenIn } from './letters.ts';

/** The mailbox that receives the deployment's emails. */
export const mailboxPlace: Place = {
  name: 'mailbox',
  absent: () => 'does the deployment deliver to it? --address names an address of the mailbox',
  empty: to => `there is email to ${to} in the mailbox, but none with a link that contains a token`,
};

/** The end of the headers of an email. */
const endOfHeaders = /\r?\n\r?\n/;

/**
 * Returns a reader of emails as they were received (RFC 5322), whatever their encoding. Only those to the probe's own
 * addresses are decoded; everything else is discarded at once.
 */
export function mailReader(letters: Letters): (raw: Buffer) => Promise<void> {
  async function decode(raw: Buffer): Promise<Partial<Email>> {
    const { default: PostalMime } = await import('postal-mime');
    try {
      return await PostalMime.parse(raw, { forceRfc822Attachments: true });
    } catch (error) {
      letters.troubled(`an email to the probe can't be decoded (${(error as Error).message})`);
      return {};
    }
  }

  return async raw => {
    const [headers = ''] = raw.toString('latin1').split(endOfHeaders, 1);
    if (!letters.areNamedIn(headers.toLowerCase())) return;
    const { to = [], text = '', html = '' } = await decode(raw);
    const recipients = to.flatMap(entry => entry.group ?? [entry]).map(entry => entry.address.toLowerCase());
    const own = recipients.find(letters.isOwn);
    if (own === undefined) return;
    const links = [...linksIn(text), ...linksIn(withoutEntities(html))];
    letters.add({ to: own, secret: secretIn(links), bodyUntil: 0 });
  };
}

const linksIn = (text: string): string[] => text.match(/https?:\/\/[^\s<>"']+/g) ?? [];

/**
 * Returns the secret of a link with a `token` first: other links in an email may hold something that only has the form of
 * one.
 */
const secretIn = (links: string[]): string | null =>
  links.map(link => URL.parse(link)?.searchParams.get('token')).find(Boolean) ??
  links.map(tokenIn).find(Boolean) ??
  null;

/** In HTML, the `&` of an address is an entity, and any other character may be one. */
const withoutEntities = (html: string): string =>
  html
    .replace(/&#(?:x([0-9a-f]{1,6})|(\d{1,7}));/gi, (all, hex?: string, decimal?: string) => {
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
      return code <= 0x10ffff ? String.fromCodePoint(code) : all;
    })
    .replaceAll('&amp;', '&');
