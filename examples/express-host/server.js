import express from 'express';
import { createGatehouse } from 'gatehouse-auth';

const port = Number(process.env.PORT || 8000);
// Where people reach this application. Links in emails begin with it.
const origin = process.env.ORIGIN || `http://localhost:${port}`;

// The rest of the configuration comes from svc.toml, svc.secrets.env and the environment.
const gatehouse = await createGatehouse({
  appName: 'Orders',
  baseUrl: origin,
  urls: { verify: `${origin}/verify.html` },
});
await gatehouse.installSchema();

gatehouse.on('user_registered', ({ user }) => console.log(`a new user: ${user.id}`));

const app = express();
app.use(gatehouse.config.apiPrefix, gatehouse.router);

// For everybody.
app.use(express.static(`${import.meta.dirname}/public`));

// For everybody, with a word for those who are signed in.
app.get('/whoami', gatehouse.optionalSession(), (req, res) => {
  res.json({ signed_in_as: req.auth ? req.auth.user.email : null });
});

// For people who are signed in; anyone else gets 401 and a problem document.
app.get('/orders', gatehouse.requireSession(), (req, res) => {
  res.json({ customer: req.auth.user.id, orders: [{ id: 1, item: 'Lantern' }] });
});

const server = app.listen(port, error => {
  if (error) throw error;
  console.log(`listening on ${origin}`);
});

// Finish requests in progress, send waiting emails, close the database; then the process ends by itself.
for (const signal of ['SIGTERM', 'SIGINT']) {
  process.once(signal, () => server.close(() => gatehouse.close()));
}
