import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { installedFolder, svc, validate } from '../../cli/support.ts';
import { manifestOf, sha256 } from './manifests.ts';

test('trusted documents are checked against the schema of the configuration', async () => {
  const path = await manifestOf('{ me { id } }');
  const { code, of } = await validate({ SVC_GRAPHQL_TRUSTED_DOCUMENTS: path });
  expect([code, of('graphql')]).toEqual([
    0,
    [{ name: 'graphql', outcome: 'ok', detail: `only the 1 documents of ${path} are executed` }],
  ]);
  const wrong = await manifestOf('{ me { id } }', '{ me { nobody } }');
  const second = await validate({ SVC_GRAPHQL_TRUSTED_DOCUMENTS: wrong });
  expect([second.code, second.failed]).toEqual([
    1,
    [
      {
        name: 'graphql',
        outcome: 'fail',
        detail: `${wrong}: ${sha256('{ me { nobody } }')}: Cannot query field "nobody" on type "User".`,
      },
    ],
  ]);
  expect((await validate({ SVC_ENABLE_GRAPHQL: 'false' })).of('graphql')[0]).toMatchObject({ outcome: 'ok' });
});

test('svc documents prints what the client can send, for a server that trusts nothing else', async () => {
  const env = {
    SVC_USER_FIELDS__line_2__LABEL: 'Line',
    SVC_ROLES: 'editor',
    SVC_ENABLE_ADMIN_ROUTER: 'true',
  };
  const { code, stdout } = await svc(['documents'], { env });
  expect(code).toBe(0);
  const manifest: Record<string, string> = JSON.parse(stdout);
  for (const [hash, text] of Object.entries(manifest)) expect(sha256(text)).toBe(hash);
  const me = Object.values(manifest).filter(text => text.startsWith('query{me{'));
  expect(me.map(text => /InvalidatedAfter(.*)}}$/.exec(text)?.[1]).toSorted()).toEqual(
    ['', ' fields{line_2:line2}', ' roles', ' roles fields{line_2:line2}'].toSorted(),
  );
  const cwd = await installedFolder();
  await writeFile(join(cwd, 'documents.json'), stdout);
  const checked = await svc(['validate'], {
    cwd,
    env: { ...env, SVC_GRAPHQL_TRUSTED_DOCUMENTS: 'documents.json' },
  });
  expect(checked.stdout).toMatch(/^ok {4}graphql +only the \d+ documents of documents\.json are executed$/m);
});
