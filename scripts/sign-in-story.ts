// Somebody registers and signs in through REST and through GraphQL, in an instance with the defaults over the SQLite file that
// is named. The schema of the file must be in order.
import assert from 'node:assert/strict';
import { loadConfig } from '../src/config/load.ts';
import { assemble } from '../src/gatehouse.ts';
import { openStorage } from '../src/storage/open.ts';
import { storageOptionsOf } from '../src/storage/options.ts';

const quiet = () => {};
const [file, email] = process.argv.slice(2);
const credentials = { email, password: 'correct horse battery staple' };
const { config } = loadConfig({
  arguments: {
    databaseUrl: `sqlite:///${file}`,
    jwtSecret: 'of a story that is told within one process',
    requireVerification: false,
  },
  env: {},
});

/** The tables of a feature that was removed are no difference. */
async function assertSchema(): Promise<void> {
  const storage = await openStorage(config.databaseUrl.parsed(), storageOptionsOf(config));
  try {
    assert.equal(await storage.readSchemaState(), 'current');
    assert.deepEqual(await storage.findDifferences(), []);
  } finally {
    await storage.close();
  }
}

const gatehouse = await assemble(config, {
  logger: { debug: quiet, info: quiet, warn: quiet, error: quiet },
});

async function send(path: string, body: object): Promise<Record<string, unknown>> {
  const request = new Request(`http://localhost:8000/api/auth${path}`, {
    ...{ method: 'POST', body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } },
  });
  const response = await gatehouse.fetch(request);
  assert.ok(response.ok, `${path} answered ${response.status}`);
  return (await response.json()) as Record<string, unknown>;
}

try {
  await gatehouse.installSchema();
  await assertSchema();
  await send('/register', credentials);
  const { access_token: token } = await send('/login', credentials);
  const query = 'mutation ($input: LoginInput!) { login(input: $input) { __typename } }';
  const { data } = await send('/graphql', { query, variables: { input: credentials } });
  assert.ok(await gatehouse.authenticate(String(token)), 'the token of the login must be a session');
  assert.deepEqual(data, { login: { __typename: 'Session' } });
} finally {
  await gatehouse.close();
}
