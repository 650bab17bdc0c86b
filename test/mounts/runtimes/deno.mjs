import { createApi } from './api.mjs';

const { PORT, ...settings } = Deno.env.toObject();
const onListen = () => console.log('listening on', PORT);
Deno.serve({ port: Number(PORT), hostname: '127.0.0.1', onListen }, createApi(settings));
