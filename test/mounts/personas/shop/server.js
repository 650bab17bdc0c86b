import { createGatehouse, Refusal } from 'gatehouse-auth';
import pg from 'pg';
import { createApp } from './app.js';

const gatehouse = await createGatehouse({
  hooks: {
    beforeRegister({ email }) {
      if (email.endsWith('@rival.example')) throw new Refusal('Rivals buy elsewhere.');
    },
  },
});
await gatehouse.installSchema();
const db = new pg.Pool({ connectionString: process.env.SVC_DATABASE_URL });
await db.query(`create table if not exists orders (
  id bigint generated always as identity primary key,
  user_id text not null references users (id) on delete restrict,
  item text not null
)`);

const server = createApp(gatehouse, db).listen(Number(process.env.PORT), () =>
  console.log('listening on it'),
);
process.once('SIGTERM', () => server.close(() => Promise.all([gatehouse.close(), db.end()])));
