import { createGatehouse } from 'gatehouse-auth';

async function start() {
  const gatehouse = await createGatehouse({
    baseUrl: `http://localhost:${process.env.PORT || 3000}`,
    enableUiRouter: true,
    // The pages of this application know who is signed in.
    enableBrowserSessions: true,
    homeUrl: '/shop',
  });
  await gatehouse.installSchema().catch(async error => {
    await gatehouse.close();
    throw error;
  });
  return gatehouse;
}

/**
 * Returns the instance of this process, which remains the same while development reloads this module. A start that failed, as
 * when the database was down, is tried again by the next request.
 */
export const getGatehouse = () =>
  (globalThis.gatehouse ??= start().catch(error => {
    delete globalThis.gatehouse;
    throw error;
  }));
