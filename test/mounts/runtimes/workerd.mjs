import { Miniflare } from 'miniflare';

const { PORT, ISSUER, RESOURCE } = process.env;
const workers = new Miniflare({
  ...{ modules: true, scriptPath: 'bundle.mjs', compatibilityDate: '2026-01-01' },
  ...{ port: Number(PORT), host: '127.0.0.1', bindings: { ISSUER, RESOURCE } },
});
await workers.ready;
console.log('listening on', PORT);
process.once('SIGTERM', () => workers.dispose());
