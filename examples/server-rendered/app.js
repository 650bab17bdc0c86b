import express from 'express';

/** Returns the application around an instance of Gatehouse, which a test makes itself. */
export function createApp(gatehouse) {
  const app = express();
  app.use(gatehouse.config.apiPrefix, gatehouse.router);
  app.use(gatehouse.config.uiPrefix, gatehouse.uiRouter);
  app.use(gatehouse.config.staticPrefix, gatehouse.staticFiles);
  app.use(express.static(`${import.meta.dirname}/public`), express.urlencoded());

  const orders = new Map();

  // A person without a session signs in first, and comes back.
  app.get('/orders', gatehouse.requireSession({ browser: true }), (req, res) => {
    const items = (orders.get(req.auth.user.id) ?? []).map(item => `<li>${escapeHtml(item)}</li>`);
    const form =
      '<form method="post"><label>Item <input name="item" required></label> <button>Order</button></form>';
    res.send(page(req.auth.user, `<h1>Your orders</h1><ul>${items.join('')}</ul>${form}`));
  });

  // A form needs no token of its own: the guard accepts one from this site only.
  app.post('/orders', gatehouse.requireSession({ browser: true }), (req, res) => {
    const { id } = req.auth.user;
    orders.set(id, [...(orders.get(id) ?? []), String(req.body.item)]);
    res.redirect(303, '/orders');
  });

  app.get('/', gatehouse.optionalSession({ browser: true }), (req, res) => {
    res.send(page(req.auth?.user, '<h1>Lanterns</h1><p><a href="/orders">Your orders</a></p>'));
  });
  return app;
}

/** Returns a whole page, with a way in or out. */
function page(user, content) {
  const out = '<button id="sign-out">Sign out</button><script type="module" src="/sign-out.js"></script>';
  const who = user ? `${escapeHtml(user.email)} ${out}` : '<a href="/account/login?next=/orders">Sign in</a>';
  return `<!doctype html><html lang="en"><title>Lanterns</title><header>${who}</header><main>${content}</main></html>`;
}

function escapeHtml(text) {
  return text.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`);
}
