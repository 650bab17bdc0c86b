import express from 'express';

/** The shop, over an instance and a database. */
export function createApp(gatehouse, db) {
  const app = express();
  app
    .set('trust proxy', 'loopback')
    .set('view engine', 'ejs')
    .set('views', `${import.meta.dirname}/views`);
  app.use(gatehouse.config.apiPrefix, gatehouse.router);
  app.use(gatehouse.config.uiPrefix, gatehouse.uiRouter);
  app.use(gatehouse.config.staticPrefix, gatehouse.staticFiles);
  app.use(express.urlencoded());

  const ordersOf = async ({ id }) =>
    (await db.query('select item from orders where user_id = $1 order by id', [id])).rows;

  app.get('/orders', gatehouse.requireSession({ browser: true }), async (req, res) => {
    res.render('orders', { user: req.auth.user, orders: await ordersOf(req.auth.user) });
  });
  app.post('/orders', gatehouse.requireSession({ browser: true }), async (req, res) => {
    await db.query('insert into orders (user_id, item) values ($1, $2)', [req.auth.user.id, req.body.item]);
    res.redirect(303, '/orders');
  });
  app.get('/desk', gatehouse.requireRole('editor'), (_req, res) => res.json({ desk: 'open' }));
  return app;
}
