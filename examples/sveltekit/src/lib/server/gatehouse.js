import { createGatehouse } from 'gatehouse-auth';

async function start() {
  const gatehouse = await createGatehouse({
    baseUrl: `http://localhost:${process.env.PORT || 3000}`,
    enableUiRouter: true,
    // The pages of this application know who is signed in.
    enableBrowserSessions: true,
    homeUrl: '/shop',
  });
  await gatehouse.installSchema();
  return gatehouse;
}

/** Returns the instance of this process, which remains the same while development reloads this module. */
export const getGatehouse = () => (globalThis.gatehouse ??= start());
