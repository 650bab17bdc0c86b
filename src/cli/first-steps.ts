import type { Config } from '../config/schema.ts';

/**
 * Prints where the server listens, and for a developer the first commands to type; `lines` are about what is there in
 * development alone.
 */
export function sayListening(url: string, dev: boolean, config: Config, lines: readonly string[] = []): void {
  console.log(`listening on ${url}`);
  if (dev) console.log(firstSteps(localUrl(url), config, lines));
}

/** Returns the URL with one host name everywhere: browsers separate the storage of 127.0.0.1 from that of localhost. */
export const localUrl = (url: string) => url.replace(/\/\/(127\.0\.0\.1|\[::1\]):/, '//localhost:');

/** Returns the first commands to type: from an empty installation to a session, for this configuration. */
function firstSteps(url: string, config: Config, lines: readonly string[]): string {
  const { apiPrefix, uiPrefix, requireVerification, enableGraphql, email } = config;
  const api = `${url}${apiPrefix}`;
  const json = `-H 'Content-Type: application/json'`;
  const ada = `'{"email": "ada@example.org", "password": "correct horse"}'`;
  const steps = [
    ['Register:', `curl ${api}/register ${json} \\\n    -d ${ada}`],
    [
      'Confirm the address with the token at the end of the link in the email:',
      `curl ${api}/verify ${json} \\\n    -d '{"token": "<TOKEN>"}'`,
    ],
    ['Sign in:', `curl ${api}/login ${json} \\\n    -d ${ada}`],
    [
      'Read your account, with the token you received:',
      `curl ${api}/me -H 'Authorization: Bearer <ACCESS_TOKEN>'`,
    ],
  ].filter((_, step) => step !== 1 || requireVerification);
  return `
${lines.map(line => `${line}\n`).join('')}${email.backend === 'console' ? 'Emails are not sent: they appear here, between the log records. ' : ''}In another terminal:

${steps.map(([what, command], i) => `${i + 1}. ${what}\n\n  ${command}\n`).join('\n')}
The same on pages, in a browser: ${url}${uiPrefix}/register
${enableGraphql ? `The same in GraphQL, in a browser: ${api}/graphql\n` : ''}Ctrl-C stops the server.
`;
}
