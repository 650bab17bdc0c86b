import type { Config } from '../config/schema.ts';

/** Prints where the server listens, and for a developer the first commands to type. */
export function sayListening(url: string, dev: boolean, config: Config): void {
  console.log(`listening on ${url}`);
  // One host name everywhere: browsers separate the storage of 127.0.0.1 from that of localhost.
  if (dev) console.log(firstSteps(url.replace(/\/\/(127\.0\.0\.1|\[::1\]):/, '//localhost:'), config));
}

/** Returns the first commands to type: from an empty installation to a session, for this configuration. */
function firstSteps(url: string, config: Config): string {
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
${email.backend === 'console' ? 'Emails are not sent: they appear here, between the log records. ' : ''}In another terminal:

${steps.map(([what, command], i) => `${i + 1}. ${what}\n\n  ${command}\n`).join('\n')}
The same on pages, in a browser: ${url}${uiPrefix}/register
${enableGraphql ? `The same in GraphQL, in a browser: ${api}/graphql\n` : ''}Ctrl-C stops the server.
`;
}
