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

const server = createApp(gatehouse);
server.listen(port, () => console.log(`listening on http://localhost:${port}`));
for (const signal of ['SIGTERM', 'SIGINT']) {
  process.once(signal, () => server.close(() => gatehouse.close()));
}
