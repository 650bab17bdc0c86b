import { createCodes, type Handler, json, type StandIn, startStandIn } from './stand-in.ts';

const client = { id: 'Iv1.of-the-tests', secret: 'a github secret of the tests' };

/** Somebody with an account there: the number of the account, and its addresses as the API lists them. */
export interface GithubUser {
  id: number;
  login?: string;
  name?: string | null;
  emails: { email: string; primary: boolean; verified: boolean }[];
}

export interface Github extends StandIn {
  /** The settings of the provider in `oauth.providers`. */
  table: {
    kind: 'github';
    clientId: string;
    clientSecret: string;
    authorizationUrl: string;
    tokenUrl: string;
    apiUrl: string;
  };
  /** The query with which a browser comes back when this person has signed in. */
  answerTo(authorizationUrl: string, user: GithubUser): string;
  /** The false answers of its API. */
  api: { status?: number; body?: unknown };
}

/** Starts GitHub as docs.github.com describes it: an installation under `/login/oauth` and `/api/v3`. */
export async function startGithub(): Promise<Github> {
  const codes = createCodes(client.id);
  const tokens = new Map<string, GithubUser>();
  const api: Github['api'] = {};
  const ask =
    (answer: (user: GithubUser) => unknown): Handler =>
    (req, _, res) => {
      if (!req.headers['user-agent']) return json(res, { message: 'Request forbidden' }, 403);
      const user = tokens.get(/^Bearer (.+)$/.exec(req.headers.authorization ?? '')?.[1] ?? '');
      if (!user) return json(res, { message: 'Bad credentials' }, 401);
      return json(res, 'body' in api ? api.body : answer(user), api.status);
    };
  const server = await startStandIn(() => ({
    '/login/oauth/access_token': (req, form, res) => {
      const isClient = form.get('client_id') === client.id && form.get('client_secret') === client.secret;
      const grant = isClient ? codes.take(form) : null;
      // GitHub says errors with 200, and answers with a form unless JSON is asked for.
      const token = `gho_${tokens.size}`;
      const answer: Record<string, string> = grant
        ? { access_token: token, scope: 'user:email', token_type: 'bearer' }
        : { error: 'bad_verification_code', error_description: 'The code passed is incorrect or expired.' };
      if (grant) tokens.set(token, grant.person as unknown as GithubUser);
      if (/json/.test(req.headers.accept ?? '')) return json(res, answer);
      const text = new URLSearchParams(answer).toString();
      return res.writeHead(200, { 'Content-Type': 'application/x-www-form-urlencoded' }).end(text);
    },
    '/api/v3/user': ask(({ id, login = 'octocat', name = null }) => ({ id, login, name, email: null })),
    '/api/v3/user/emails': ask(({ emails }) => emails.map(each => ({ ...each, visibility: null }))),
  }));
  const { origin } = server;
  return {
    ...server,
    api,
    table: {
      ...{ kind: 'github', clientId: client.id, clientSecret: client.secret },
      authorizationUrl: `${origin}/login/oauth/authorize`,
      tokenUrl: `${origin}/login/oauth/access_token`,
      apiUrl: `${origin}/api/v3`,
    },
    answerTo: (url, user) =>
      `?${new URLSearchParams(codes.give(url, user as unknown as Record<string, unknown>))}`,
  };
}
