import { createGatehouse } from 'gatehouse-auth';

async function start() {
  const gatehouse = await createGatehouse({
    baseUrl: `http://localhost:${process.env.PORT || 3000}`,
    enableUiRouter: true,
    // The pages of this application know who is signed in.
    enableBrowserSessions: true,
    homeUrl: '/shop',
    // Next.js writes the client's address into X-Forwarded-For; behind a proxy, its address belongs here, too.
    trustedProxies: ['127.0.0.1', '::1'],
  });
  await gatehouse.installSchema();
  return gatehouse;
}

/** Returns the instance of this process, which remains the same while development reloads this module. */
export const getGatehouse = () => (globalThis.gatehouse ??= start());

/** Serves REST, GraphQL and the pages. */
export const serve = async request => (await getGatehouse()).fetch(request);
