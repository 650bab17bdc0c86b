import { expect, test } from 'vitest';
import { serve } from '../cli/support.ts';

/** Run within the server: when asked by a signal, writes what Node's own modules and the packages are that it loaded. */
const witness = `
import { registerHooks } from 'node:module';
const packages = new Set();
registerHooks({
  load(url, context, next) {
    packages.add(/node_modules\\/((?:@[^/]+\\/)?[^/]+)\\/(?!.*node_modules)/.exec(url)?.[1]);
    return next(url, context);
  },
});
process.on('SIGUSR2', () => console.log('loaded ' + JSON.stringify([...process.moduleLoadList, ...packages])));
`;

test('a server without requests has loaded the modules that most servers need, and no more', async () => {
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(witness)}` };
  const server = await serve([], { env });
  const loaded = async (): Promise<string[]> => {
    server.signal('SIGUSR2');
    return JSON.parse((await server.written(/^loaded (.*)\n/m))[1]!);
  };
  const atRest = await loaded();
  expect(atRest).toContain('zod');
  for (const name of ['express', 'graphql', 'graphql-yoga', '@pothos/core', 'liquidjs', 'nodemailer']) {
    expect(atRest).not.toContain(name);
  }
  // Node's client for fetch and WebSocket.
  expect(atRest.join()).not.toContain('undici');
  const response = await fetch(`${server.api}/graphql`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{"query":"{ __typename }"}',
  });
  expect(await response.json()).toEqual({ data: { __typename: 'Query' } });
  await server.stop();
});
