import { createGatehouse } from 'gatehouse-auth';
import Koa from 'koa';

const port = Number(process.env.PORT || 8000);
const gatehouse = await createGatehouse({ baseUrl: `http://localhost:${port}`, enableUiRouter: true });
await gatehouse.installSchema();

/** Runs a handler of Gatehouse. Koa does not see a request that it answers; other requests go to the next middleware. */
const koa = handler => async (ctx, next) => {
  const isPassedOn = await new Promise((resolve, reject) => {
    ctx.res.once('close', () => resolve(false));
    handler(ctx.req, ctx.res, error => (error ? reject(error) : resolve(true)));
  });
  ctx.respond = isPassedOn;
  if (isPassedOn) await next();
};
const signedIn = koa(gatehouse.requireSession());

const app = new Koa();
app.use(koa(gatehouse.handler));
app.use(async (ctx, next) => (ctx.path === '/orders' ? signedIn(ctx, next) : undefined));
app.use(ctx => {
  ctx.body = { customer: ctx.req.auth.user.id, orders: [{ id: 1, item: 'Lantern' }] };
});

const server = app.listen(port, () => console.log(`listening on ${gatehouse.config.baseUrl}`));
for (const signal of ['SIGTERM', 'SIGINT']) {
  process.once(signal, () => server.close(() => gatehouse.close()));
}
