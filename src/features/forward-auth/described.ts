/** The description of the paths in OpenAPI. They are for proxies and browsers, which send no session of the API. */

const problem = (description: string) => ({
  description,
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
});
const text = (description: string) => ({ description, schema: { type: 'string' } });
const parameter = (name: string, description: string, schema: object = { type: 'string' }) => ({
  ...{ name, in: 'query', required: false, description, schema },
});

const gate = {
  get: {
    operationId: 'forwardAuth',
    summary: 'Tells a proxy whether a request may go on to an application, and who sends it.',
    description:
      'Takes any method, and answers proxies in `trusted_proxies` alone. What is asked about is in `X-Forwarded-Method`, `-Proto`, `-Host` and `-Uri`, or in `X-Original-Method` and `X-Original-URL`.',
    tags: ['account'],
    security: [],
    parameters: [
      parameter('role', 'A role that the person must have; of several, one.', {
        ...{ type: 'array', items: { type: 'string' } },
      }),
      parameter('mfa', 'Two factors must have been used.', { type: 'string', enum: ['1'] }),
      parameter('recent', 'The greatest age of the sign-in, in seconds.', { type: 'integer', minimum: 1 }),
      parameter('resource', 'The name of an API, whose token the application gets.'),
      parameter('mode', 'A redirect is answered as 401, as nginx needs it.', {
        ...{ type: 'string', enum: ['nginx'] },
      }),
    ],
    responses: {
      200: {
        description: 'The request may go on with these headers in place of its own.',
        headers: {
          'Remote-User': text('The id of the person.'),
          'Remote-Email': text('The address, if it is verified; else empty.'),
          'Remote-Name': text('The name in UTF-8; empty without one.'),
          'Remote-Groups': text('The roles, separated by commas.'),
          Cookie: text('The cookies of the request without those of this service.'),
          'X-Access-Token': text('With `resource`: a token for that API.'),
        },
      },
      303: { description: 'A person goes to another page first.', headers: { Location: text('The page.') } },
      401: problem('Not signed in, or not recently or strongly enough.'),
      403: problem('Not a trusted proxy, another host, or a role is missing.'),
      422: problem('A parameter is wrong, or the proxy does not say what is asked.'),
    },
  },
};

const start = {
  get: {
    operationId: 'startForwardAuth',
    summary: 'Brings the session of this site to a host of `forward_auth_hosts`.',
    description:
      'Browsers are led here by the answer of `/forward-auth`. It reads the cookie of this site, and changes nothing.',
    tags: ['account'],
    security: [],
    parameters: [
      { ...parameter('host', 'The host that has sent the browser.'), required: true },
      { ...parameter('to', 'Path and query to which the browser returns.'), required: true },
      { ...parameter('state', 'The hash of the state that the browser keeps there.'), required: true },
    ],
    responses: {
      303: {
        description: 'Back to the host with a ticket, or to the login page.',
        headers: { Location: text('The page.') },
      },
      400: problem('`to` leads elsewhere.'),
      404: problem('The host is not in the configuration.'),
      422: problem('A parameter is missing or can be none.'),
    },
  },
};

export const described = { gate, start };
