import type { Answer } from '../client.ts';
import { expectAnswer, expectThat } from '../expect.ts';
import { asVisitor, type Phase } from '../walk.ts';

/** Has the session put into a cookie, and checks that the API does not accept it. */
export const browserSessions: Phase = {
  name: 'browser-sessions',
  absence: ({ features }) => (features.browserSessions ? null : 'is off (enable_browser_sessions)'),
  async run(walk) {
    const { client, visitor } = walk;
    const begun = await asVisitor(walk, 'POST', '/browser-session');
    expectAnswer(begun, 204);
    const { pair, attributes } = cookieOf(begun);
    const name = pair.split('=')[0]!;
    const value = pair.slice(name.length + 1);
    const isSecure = client.url.startsWith('https:');
    expectThat(
      name === '__Host-svc' || (!isSecure && name === 'svc'),
      `POST /browser-session sets a cookie of another name: is base_url the address that browsers see?`,
    );
    const expected = ['path=/', 'httponly', 'samesite=lax', ...(name === 'svc' ? [] : ['secure'])];
    expectThat(
      attributes.toSorted().join() === expected.toSorted().join(),
      `the cookie has not exactly the attributes ${expected.join(', ')}: does a proxy change it?`,
    );
    expectThat(value !== visitor.token, 'the cookie holds the session token itself');

    // Against cross-site request forgery: what a browser sends by itself must count for nothing.
    const byCookie = await client.call('GET', '/me', { cookie: pair });
    expectAnswer(byCookie, 401, 'unauthenticated');
    const asBearer = await client.call('GET', '/me', { token: value });
    expectAnswer(asBearer, 401, 'unauthenticated');

    const ended = await client.call('DELETE', '/browser-session', { cookie: pair });
    expectAnswer(ended, 204);
    const removed = cookieOf(ended);
    expectThat(
      removed.pair === `${name}=` && removed.attributes.includes('max-age=0'),
      'DELETE /browser-session does not take the cookie away',
    );
    expectAnswer(await asVisitor(walk, 'GET', '/me'), 200);
    return 'the cookie is kept from scripts and other sites, and the API does not accept it';
  },
};

/** Returns the one cookie of a response, its attributes in lower case. @throws {CheckFailure} */
function cookieOf({ asked, headers }: Answer): { pair: string; attributes: string[] } {
  const [line, ...more] = headers['set-cookie'] ?? [];
  expectThat(line !== undefined && more.length === 0, `${asked} does not set exactly one cookie`);
  const [pair = '', ...attributes] = line.split(/; */);
  return { pair, attributes: attributes.map(text => text.toLowerCase()) };
}
