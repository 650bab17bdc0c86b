import { createGatehouse, type Gatehouse } from 'gatehouse-auth';

async function start(): Promise<Gatehouse> {
  const gatehouse = await createGatehouse({
    enableUiRouter: true,
    // The pages of this application know who is signed in.
    enableBrowserSessions: true,
    homeUrl: '/shop',
    // Next.js passes on whatever address a visitor writes into X-Forwarded-For. Set trustedProxies only behind a proxy that
    // writes the header itself, and to its address; until then all visitors share one count of each limit.
  });
  await gatehouse.installSchema().catch(async error => {
    await gatehouse.close();
    throw error;
  });
  return gatehouse;
}

const ofProcess: { gatehouse?: Promise<Gatehouse> } = globalThis as object;

/**
 * Returns the instance of this process, which remains the same while development reloads this module. A start that failed, as
 * when the database was down, is tried again by the next request.
 */
export const getGatehouse = (): Promise<Gatehouse> =>
  (ofProcess.gatehouse ??= start().catch(error => {
    delete ofProcess.gatehouse;
    throw error;
  }));

/** Serves REST, GraphQL and the pages. */
export const serve = async (request: Request): Promise<Response> => (await getGatehouse()).fetch(request);
