// Writes test/fixtures/foreign: what Better Auth and the bcrypt packages of npm make of passwords.
//
//     npm install --prefix FOLDER better-auth@1.7.25 bcrypt@6.0.0 bcryptjs@3.0.3
//     node scripts/write-foreign-hashes.mjs FOLDER
//
// npm.json has hashes, better-auth.sql a database that Better Auth itself has filled. The tests need neither of them.
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';

const [folder] = process.argv.slice(2);
const { resolve: find } = createRequire(join(resolve(folder), 'x.js'));
const load = async name => import(pathToFileURL(find(name)));
const target = join(import.meta.dirname, '../test/fixtures/foreign');

const plain = 'correct horse battery';
// A form that is not NFKC.
const decomposed = 'cafe\u0301 Zu\u0308rich 2';

const bcrypt = (await load('bcrypt')).default;
const bcryptjs = (await load('bcryptjs')).default;
const rows = [];
for (const [from, { hash }] of Object.entries({ 'bcrypt (npm)': bcrypt, 'bcryptjs (npm)': bcryptjs })) {
  for (const password of [plain, decomposed, 'nul\0byte in it', `${'x'.repeat(72)} and more`]) {
    rows.push({ from, password, hash: await hash(password, 5) });
  }
}
rows.push({ from: 'bcrypt (npm), cost 12', password: plain, hash: await bcrypt.hash(plain, 12) });
writeFileSync(join(target, 'npm.json'), `${JSON.stringify(rows, null, 2)}\n`);

const { betterAuth } = await load('better-auth');
const { getMigrations } = await load('better-auth/db/migration');
const database = new DatabaseSync(':memory:');
const auth = betterAuth({
  baseURL: 'http://127.0.0.1',
  secret: 'a secret for the fixture of more than 32 characters',
  database,
  emailAndPassword: { enabled: true },
  socialProviders: { google: { clientId: 'x', clientSecret: 'x' } },
  telemetry: { enabled: false },
  logger: { level: 'error' },
});
await (await getMigrations(auth.options)).runMigrations();
const context = await auth.$context;
for (const [name, password] of [
  ['Ada', plain],
  ['Grace', decomposed],
]) {
  await auth.api.signUpEmail({ body: { name, email: `${name}@example.org`, password } });
}
const { id } = (await context.internalAdapter.findUserByEmail('ada@example.org')).user;
await context.internalAdapter.updateUser(id, { emailVerified: true });
await context.internalAdapter.linkAccount({ userId: id, providerId: 'google', accountId: 'google-ada' });
const only = { name: 'Alan', email: 'alan@example.org', emailVerified: true };
await context.internalAdapter.createOAuthUser(only, { providerId: 'google', accountId: 'google-alan' });

// A moment that is past everywhere.
for (const table of ['user', 'account'])
  database.exec(`update "${table}" set createdAt = '2024-05-06T07:08:09.123Z'`);
const lines = [];
for (const table of ['user', 'account']) {
  const { sql } = database.prepare('select sql from sqlite_master where name = ?').get(table);
  lines.push(`${sql};`);
  for (const row of database.prepare(`select * from "${table}"`).all()) {
    const values = Object.values(row).map(value =>
      value === null
        ? 'NULL'
        : typeof value === 'string'
          ? `'${value.replaceAll("'", "''")}'`
          : String(value),
    );
    lines.push(`insert into "${table}" (${Object.keys(row).map(name => `"${name}"`)}) values (${values});`);
  }
}
writeFileSync(join(target, 'better-auth.sql'), `${lines.join('\n')}\n`);
