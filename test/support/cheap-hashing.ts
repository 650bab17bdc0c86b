import { registerHooks } from 'node:module';

// For `node --import`: a process under test hashes at the least cost that Argon2 allows. No setting does so, because no
// deployment should.
const cost = new URL('../../src/crypto/hash-cost.ts', import.meta.url).href;
const cheap = `data:text/javascript,export { cheapHash as owasp } from '${new URL('../../src/testing/cheap-hash.ts', import.meta.url)}'`;
registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context);
    return resolved.url === cost ? { ...resolved, url: cheap, format: 'module' } : resolved;
  },
});
