import { createApi } from './api.mjs';

const { PORT, ...settings } = process.env;
Bun.serve({ port: Number(PORT), hostname: '127.0.0.1', fetch: createApi(settings) });
console.log('listening on', PORT);
