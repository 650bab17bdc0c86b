// Measures everything, or the parts that are named: npm run bench -- session login
import { parseArgs } from 'node:util';
import { build } from './build.ts';
import { openDatabases } from './databases.ts';
import { deliveries } from './parts/deliveries.ts';
import { features } from './parts/features.ts';
import { flood } from './parts/flood.ts';
import { growth } from './parts/growth.ts';
import { importUsers } from './parts/import.ts';
import { memory } from './parts/memory.ts';
import { million } from './parts/million.ts';
import { operations } from './parts/operations.ts';
import type { Part, Table } from './parts/part.ts';
import { passwords } from './parts/passwords.ts';
import { processes } from './parts/processes.ts';
import { session } from './parts/session.ts';
import { size } from './parts/size.ts';
import { start } from './parts/start.ts';
import { tokenChecks } from './parts/tokens.ts';
import { surroundings, write } from './report.ts';

const parts: Record<string, Part> = {
  ...{ session, features, processes, operations, deliveries, flood, growth, million, memory, start, size },
  passwords,
  import: importUsers,
  tokens: tokenChecks,
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    passes: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '2' },
    write: { type: 'boolean', default: false },
  },
});
const unknown = positionals.filter(name => !(name in parts));
if (unknown.length > 0) {
  console.error(`There is no part ${unknown.join(', ')}. There are: ${Object.keys(parts).join(' ')}`);
  process.exit(1);
}

build();
const databases = await openDatabases();
try {
  const startedAt = Date.now();
  const tables: Table[] = [];
  const machine = await surroundings(databases);
  for (const [name, part] of Object.entries(parts)) {
    if (positionals.length > 0 && !positionals.includes(name)) continue;
    console.error(`${name}:`);
    tables.push(
      ...(await part({ databases, passes: Number(values.passes), seconds: Number(values.seconds) })),
    );
  }
  const minutes = Math.round((Date.now() - startedAt) / 6000) / 10;
  write({ ...machine, minutes, tables }, { keep: values.write, isWhole: positionals.length === 0 });
} finally {
  await databases.close();
}
