import { boundedFetch } from '../../bounded-fetch.ts';
import type { Config } from '../../config/schema.ts';
import { createDataEncryption } from '../../crypto/data-key.ts';
import type { Storage } from '../../storage/open.ts';
import { type Finding, type NamedFinding, reasonOf } from '../../validate/configuration/finding.ts';
import { discoveryOf, keySetOf } from './documents.ts';
import { createKeySeal } from './key-seal.ts';
import { publicPartOf } from './keys.ts';
import { isAlgorithm } from './stored-ring.ts';

/** Checks that verifiers find this configuration and this ring at `issuer`. */
export const check = async (config: Config, storage: Storage): Promise<NamedFinding[]> =>
  (await documentFindings(config, storage)).map(finding => ({ name: 'tokens', finding }));

async function documentFindings(config: Config, { repositories }: Storage): Promise<Finding[]> {
  const { issuer } = config;
  try {
    const rows = await repositories.signing_keys.list();
    const stored = rows.flatMap(({ id, keys }) =>
      isAlgorithm(id)
        ? keys.map(key => ({ ...key, algorithm: id, publicJwk: publicPartOf(key.publicJwk) }))
        : [],
    );
    if (stored.length === 0) return [['ok', 'there are no signing keys yet: the first start makes them']];
    const encryption = createDataEncryption(
      config.dataEncryptionKey!.reveal(),
      config.dataEncryptionKeyPrevious?.reveal(),
    );
    const seal = createKeySeal(encryption);
    for (const { id, keys } of rows) for (const key of keys) seal.unseal(id, key);
    const place = `${issuer}/.well-known`;
    const [keys, discovery] = await Promise.all(
      ['jwks.json', 'openid-configuration'].map(name => textAt(`${place}/${name}`)),
    ).catch(error => [error as Error]);
    if (typeof keys !== 'string') return [['warn', `${place} can't be asked for keys: ${reasonOf(keys)}`]];
    const isSame = sorted(keys) === sorted(JSON.stringify(keySetOf(stored)));
    return [
      isSame
        ? ['ok', `${place}/jwks.json has the ${stored.length} keys of this database`]
        : ['fail', `${place}/jwks.json has not the keys of this database: another service answers there`],
      discovery === JSON.stringify(discoveryOf(config))
        ? ['ok', `${place}/openid-configuration is that of this configuration`]
        : ['fail', `${place}/openid-configuration is not that of this configuration`],
    ];
  } catch (error) {
    return [['fail', reasonOf(error)]];
  }
}

/** @throws {Error} */
async function textAt(url: string): Promise<string> {
  const response = await boundedFetch(url, { method: 'GET', headers: { Accept: 'application/json' } });
  if (response.status !== 200) throw new Error(`${url} answered ${response.status}`);
  return response.text();
}

/** Returns the keys of a set in one order; the text itself where it is no set. */
function sorted(text: string): string {
  try {
    const { keys } = JSON.parse(text) as { keys: object[] };
    return keys
      .map(key => JSON.stringify(key))
      .toSorted()
      .join('\n');
  } catch {
    return text;
  }
}
