import { readFileSync } from 'node:fs';
import { packageFile } from '../../package-files.ts';
import { escaped } from '../output.ts';

/** The path of everything that is there in development alone. */
export const devPrefix = '/svc-dev';

/** The part of the configuration that the pages of development know. */
export interface PageParts {
  appName: string;
  apiPrefix: string;
  uiPrefix: string;
  staticPrefix: string;
  passwordMinLength: number;
}

/** The scripts and the style sheet of these pages. They are not in the folder that production serves. */
const files = ['inbox.js', 'first-administrator.js', 'development.css'];

export interface StaticFile {
  type: string;
  body: string;
}

/** Returns the scripts and the style sheet, by their paths. */
export const readFiles = (): Map<string, StaticFile> =>
  new Map(
    files.map(name => [
      `${devPrefix}/${name}`,
      {
        type: `text/${name.endsWith('.css') ? 'css' : 'javascript'}; charset=utf-8`,
        body: readFileSync(packageFile(`static/development/${name}`), 'utf8'),
      },
    ]),
  );

/** Returns the page of the inbox. Its content comes by the stream of its script. */
export const inboxPage = (parts: PageParts) =>
  pageOf(parts, {
    title: 'Development inbox',
    script: 'inbox.js',
    content: `<h1 class="page-title">Development inbox</h1>
<p class="small soft">The last 200 mails and text messages of this process. They are kept in memory, and shown on this machine only.</p>
<p class="notice" role="status" data-state>Connecting …</p>
<div class="inbox">
  <nav class="inbox-list" aria-label="Messages">
    <label class="visually-hidden" for="search">Search</label>
    <input id="search" class="input" type="search" placeholder="Search by address or subject" autocomplete="off">
    <ol class="list-plain" data-list></ol>
  </nav>
  <article class="card inbox-message" data-message aria-live="off"><p class="soft">No message yet. What the service sends appears here by itself.</p></article>
</div>`,
  });

/** Returns the page of the first administrator; `works` says whether its link still does. */
export const firstAdministratorPage = (parts: PageParts, works: boolean) =>
  pageOf(parts, {
    title: 'First administrator',
    script: works ? 'first-administrator.js' : null,
    content: works
      ? `<div class="card narrow stack">
<h1 class="page-title">First administrator</h1>
<p class="lead">This installation has no administrator yet. This link makes one, once.</p>
<form class="stack" method="post" data-least="${parts.passwordMinLength}">
  <p data-who hidden></p>
  <div class="stack" data-new hidden>
    <p class="small soft">Nobody is signed in here, so an account is made. Keep the password, or choose one.</p>
    <div class="field"><label for="email">Email address</label>
    <input id="email" name="email" class="input" type="email" autocomplete="username" value="admin@example.org" required></div>
    <div class="field"><label for="password">Password</label>
    <input id="password" name="password" class="input" type="text" autocomplete="new-password" spellcheck="false" required></div>
  </div>
  <div class="notice" role="alert" data-problem></div>
  <button class="button button-primary button-block" type="submit" disabled>Make me the administrator</button>
</form>
</div>`
      : `<div class="card narrow stack">
<h1 class="page-title">This link no longer works</h1>
<p class="lead">It was used, its server was started again, or there is an administrator already. <code>svc create-admin</code> makes another one.</p>
<a class="button button-block" href="${escaped(parts.uiPrefix)}/admin">Open the console</a>
</div>`,
  });

interface PageContent {
  title: string;
  script: string | null;
  /** Markup. */
  content: string;
}

/** Returns a page in English alone: its reader is the developer who reads the terminal. */
function pageOf(parts: PageParts, { title, script, content }: PageContent): string {
  const [app, api, ui, assets] = [parts.appName, parts.apiPrefix, parts.uiPrefix, parts.staticPrefix].map(
    escaped,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title} · ${app}</title>
<link rel="icon" href="${assets}/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${assets}/theme.css">
<link rel="stylesheet" href="${assets}/core.css">
<link rel="stylesheet" href="${devPrefix}/development.css">
${script ? `<script type="module" src="${devPrefix}/${script}"></script>` : ''}
</head>
<body data-api="${api}" data-ui="${ui}" data-assets="${assets}">
<header class="site-header"><a class="brand" href="${ui}/me"><span class="brand-name">${app}</span></a>
<nav class="dev-nav" aria-label="Development"><a href="${devPrefix}/inbox">Inbox</a> <a href="${ui}/me">Account</a> <a href="${ui}/admin">Console</a></nav></header>
<main id="main" class="page page-wide">
<noscript><p class="notice notice-warning">This page works with JavaScript only.</p></noscript>
${content}
</main>
</body>
</html>
`;
}
