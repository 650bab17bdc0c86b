import node from '@astrojs/node';
import { defineConfig } from 'astro/config';

export default defineConfig({
  output: 'server',
  adapter: node({ mode: 'standalone' }),
  // Astro's own check would also refuse programs, which send no Origin. Guards with `browser` refuse forms of other sites.
  security: { checkOrigin: false },
  // The server of Gatehouse runs as ordinary modules of Node.
  vite: { ssr: { external: ['gatehouse-auth'] } },
});
