import { createGatehouse } from 'gatehouse-auth';
import { createApp } from './app.js';

const port = Number(process.env.PORT || 8000);
// The rest of the configuration comes from svc.toml, svc.secrets.env and the environment.
const gatehouse = await createGatehouse({
  homeUrl: '/orders',
  enableUiRouter: true,
  enableBrowserSessions: true,
});
await gatehouse.installSchema();

const app = await createApp(gatehouse);
app.enableShutdownHooks();
await app.listen(port);
console.log(`listening on http://localhost:${port}`);
