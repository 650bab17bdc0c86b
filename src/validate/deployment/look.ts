import { CheckFailure, type Report } from '../check.ts';
import { type Client, createClient } from './client.ts';
import { described, errorOf, expectAnswer, expectThat } from './expect.ts';
import type { Features } from './features.ts';
import { isLocal, reach, reasonOf } from './probe.ts';
import { createWitness } from './witness.ts';

export interface LookOptions {
  /** The URL of the API, or that of its site, where the API is at the usual path. */
  url: string;
  /** How long a response may take, in milliseconds. */
  timeoutMs: number;
  insecure: boolean;
  stop: AbortSignal;
  report: Report;
}

/** The findings of a look. */
export interface Seen {
  /** The URL of the API. */
  url: string;
  features: Features;
}

/** Where the API is unless its configuration says otherwise. */
const usualPath = '/api/auth';

/** A session token without a signature (`alg` none). */
const unsigned = `${encoded({ alg: 'none', typ: 'JWT' })}.${encoded({ sub: 'x', exp: 9999999999 })}.`;

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** One thing that a stranger can see. @throws {CheckFailure} */
type View = (parts: { client: Client; site: Client; features: Features }) => Promise<string>;

/** A detail that is a warning. */
class Warning extends Error {}

const views: Record<string, View> = {
  async sessions({ client }) {
    const bare = await client.call('GET', '/me');
    expectAnswer(bare, 401, 'unauthenticated');
    expectThat(
      /^Bearer\b/i.test(bare.headers['www-authenticate'] ?? ''),
      'GET /me without a session has no WWW-Authenticate: Bearer',
    );
    expectAnswer(await client.call('GET', '/me', { token: unsigned }), 401, 'unauthenticated');
    return 'no account without a session, and none by a token that nobody has signed';
  },

  async input({ client }) {
    const text = await client.call('POST', '/login', { raw: { type: 'text/plain', text: '{}' } });
    expectAnswer(text, 415, 'unsupported_media_type');
    const broken = await client.call('POST', '/login', { raw: { type: 'application/json', text: '{' } });
    expectAnswer(broken, 400, 'bad_json');
    return 'JSON alone is taken, so the forms of other sites are refused (CSRF)';
  },

  async cors({ client }) {
    const { headers } = await client.call('GET', '/me', { origin: 'https://gatehouse-check.example' });
    const allowed = headers['access-control-allow-origin'];
    expectThat(
      allowed === undefined,
      `pages of any site may read answers (Access-Control-Allow-Origin: ${allowed})`,
    );
    return 'pages of a site that is not configured may read nothing (CORS)';
  },

  async graphql({ client, features }) {
    if (features.trustedDocuments) return 'executes only the documents of its application';
    if (!features.graphql) return 'is off';
    const answer = await client.call('POST', '/graphql', {
      body: { query: '{ __schema { queryType { name } } }' },
    });
    if (answer.body?.data?.__schema) {
      throw new Warning('tells everybody its schema (graphql_introspection), which only development needs');
    }
    expectThat(answer.status < 500, `${described(answer)} ${errorOf(answer) ?? ''}`);
    return 'does not tell its schema';
  },

  async transport({ client }) {
    if (!client.url.startsWith('https:'))
      return isLocal(client.url) ? 'plain http on this machine' : 'plain http';
    const { headers } = await client.call('GET', '/me');
    if (headers['strict-transport-security'] === undefined) {
      throw new Warning('https without Strict-Transport-Security: a first visit by http can be intercepted');
    }
    return 'https, and browsers use nothing else afterwards (Strict-Transport-Security)';
  },

  async private({ site }) {
    const inbox = await site.call('GET', '/svc-dev/inbox');
    if (inbox.status === 200 && inbox.text.includes('/svc-dev/inbox.js')) {
      const detail = 'this is a development server (--dev): its inbox shows every mail to everybody here';
      if (!isLocal(site.url)) throw new CheckFailure(detail);
      throw new Warning(detail);
    }
    const metrics = await site.call('GET', '/metrics');
    if (/^gatehouse_/m.test(metrics.text)) throw new Warning('/metrics answers strangers');
    return 'neither the inbox of development nor metrics answer strangers';
  },
};

/** Looks at a running deployment as a stranger does: no account is made, and no password is sent. Null where there is none. */
export async function look(options: LookOptions): Promise<Seen | null> {
  const { timeoutMs, insecure, stop, report } = options;
  const witness = createWitness();
  const say = (name: string, outcome: 'ok' | 'warn' | 'fail', detail: string) =>
    report({ name, outcome, detail });
  const open = (url: string, see = witness.see) =>
    createClient({
      ...{ url, timeoutMs, insecure, witness: see, interruption: { signal: stop } },
      onWait: (asked, seconds) =>
        say('limits', 'warn', `${asked} is rate-limited: waiting ${seconds} seconds`),
    });
  const { origin, pathname } = new URL(options.url);
  const client = open(pathname === '/' ? `${origin}${usualPath}` : options.url);
  // Other programs may answer there.
  const site = open(origin, () => {});
  try {
    const features = await reach(client, say);
    if (!features) return null;
    for (const [name, view] of Object.entries(views)) {
      try {
        say(name, 'ok', await view({ client, site, features }));
      } catch (error) {
        if (stop.aborted) throw error;
        if (error instanceof Warning) say(name, 'warn', error.message);
        else say(name, 'fail', reasonOf(error));
      }
    }
    for (const check of witness.checks()) report(check);
    return { url: client.url, features };
  } finally {
    client.close();
    site.close();
  }
}

/** Returns what a reader may conclude from the checks, and what not. */
export function conclusionsOf({ url, features }: Seen, failed: number, hasAccount: boolean): string[] {
  const registration = { true: 'Strangers can register.', false: 'Registration is closed.', null: '' }[
    `${features.registration}`
  ];
  return [
    failed === 0
      ? `An account service answers at ${url}, and keeps the rules that a stranger can see. ${registration}`.trim()
      : `An account service answers at ${url}, and breaks a rule: see the lines that begin with fail.`,
    ...(hasAccount
      ? ['An account was made, walked through, and removed as far as the lines above say.']
      : [
          'Nothing was changed there: no account was made, and no password was sent.',
          'This does not show whether people can register and sign in, and whether emails arrive: --account does.',
        ]),
    'It shows nothing of the configuration, the database, backups and who may read the log: svc validate does, on the server.',
  ];
}
