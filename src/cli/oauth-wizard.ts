import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { randomToken } from '../crypto/one-time.ts';
import { isSameText } from '../crypto/same-text.ts';
import { CommandError } from './errors.ts';
import type { Question, Target } from './oauth-questions.ts';
import { escaped } from './output.ts';

/** The answers, by the names of the questions. */
type Answers = Readonly<Record<string, string | undefined>>;

interface WizardOptions {
  /** The questions. */
  target: Target;
  /** The answers that are known already. */
  answers: Answers;
  /** Writes what was entered. @throws {CommandError} whose message the page shows */
  save(answers: Answers, autoLink: boolean): Promise<void>;
}

/** How long the page waits for input, in milliseconds. */
const lifeMs = 600_000;
/** The largest accepted form in bytes: more than any client id and secret need. */
const longestForm = 16_384;

/**
 * Serves a page on 127.0.0.1 that asks for the credentials, and ends after saving. Other sites in the same browser can
 * reach this port, so it accepts only requests with its own host name (against DNS rebinding), its own origin, and a
 * random token (against CSRF).
 */
export async function runWizard(options: WizardOptions): Promise<void> {
  const token = randomToken();
  let settle: { saved: () => void; failed: (error: Error) => void };
  const finished = new Promise<void>((resolve, reject) => {
    settle = { saved: resolve, failed: reject };
  });

  const server = createServer((req, res) => {
    const { port } = server.address() as AddressInfo;
    handle(req, res, `127.0.0.1:${port}`, token, options)
      .then(saved => saved && settle.saved())
      .catch(() => res.writeHead(500).end());
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  console.log(`Open this page in a browser on this machine:\n\n  http://127.0.0.1:${port}/?token=${token}\n`);
  const timer = setTimeout(
    () => settle.failed(new CommandError('The page was not submitted in time; nothing was written.')),
    lifeMs,
  );
  try {
    await finished;
  } finally {
    clearTimeout(timer);
    server.close();
    server.closeIdleConnections();
  }
}

/** Handles one request. Returns true when the settings were saved. */
async function handle(
  req: IncomingMessage,
  res: ServerResponse,
  host: string,
  token: string,
  { target, answers, save }: WizardOptions,
): Promise<boolean> {
  const url = new URL(req.url ?? '/', `http://${host}`);
  if (req.headers.host !== host || url.pathname !== '/') return refuse(res, 404);
  if (req.method === 'GET') {
    if (!isToken(url.searchParams.get('token'), token)) return refuse(res, 403);
    send(res, 200, page(token, target, answers));
    return false;
  }
  if (req.method !== 'POST') return refuse(res, 405);
  if (req.headers.origin !== `http://${host}`) return refuse(res, 403);
  const form = new URLSearchParams(await readForm(req));
  if (!isToken(form.get('token'), token)) return refuse(res, 403);
  const given = Object.fromEntries(target.questions.map(({ name }) => [name, form.get(name) ?? '']));
  try {
    await save(given, form.get('auto_link') === 'on');
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    send(res, 422, page(token, target, given, error.message));
    return false;
  }
  send(res, 200, layout('<h1>Done</h1><p>The terminal shows the change. You can close this page.</p>'));
  return true;
}

const isToken = (given: string | null, token: string) => isSameText(given ?? '', token);

async function readForm(req: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of req) {
    text += chunk;
    if (text.length > longestForm) throw new Error('too long');
  }
  return text;
}

function refuse(res: ServerResponse, status: number): false {
  res.writeHead(status, { 'Content-Type': 'text/plain' }).end('Open the address that the terminal shows.');
  return false;
}

function send(res: ServerResponse, status: number, html: string): void {
  res.writeHead(status, {
    'Content-Type': 'text/html; charset=utf-8',
    'Cache-Control': 'no-store',
    'Content-Security-Policy':
      "default-src 'none'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    'Referrer-Policy': 'same-origin',
    'X-Content-Type-Options': 'nosniff',
    Connection: 'close',
  });
  res.end(html);
}

const layout = (content: string) => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>Set up external sign-in</title>
<main>${content}</main>
</html>
`;

/** Secrets that were entered are not sent back. */
function field({ name, label, form, isOptional = false }: Question, answers: Answers): string {
  const attributes = `name="${name}" ${isOptional ? '' : 'required'}`;
  const value = form === 'text' ? ` value="${escaped(answers[name] ?? '')}"` : '';
  const type = form === 'secret' ? ' type="password"' : '';
  const input =
    form === 'file'
      ? `<textarea ${attributes} rows="8" cols="66"></textarea>`
      : `<input ${attributes}${type} size="60"${value}>`;
  const title = label.charAt(0).toUpperCase() + label.slice(1);
  return `<p><label>${title}${isOptional ? ' (may be empty)' : ''}<br>${input}</label></p>`;
}

const page = (token: string, { name, questions }: Target, answers: Answers, problem?: string) =>
  layout(`
<h1>Set up sign-in with ${escaped(name)}</h1>
${problem ? `<p role="alert"><strong>${escaped(problem)}</strong></p>` : ''}
<form method="post" action="/" autocomplete="off">
<input type="hidden" name="token" value="${escaped(token)}">
${questions.map(question => field(question, answers)).join('\n')}
<p><label><input name="auto_link" type="checkbox"> Link to an account of the same address when the provider and the account have both verified it</label></p>
<p><button>Save</button></p>
</form>`);
