import type { NextConfig } from 'next';

// The server of Gatehouse runs as ordinary modules of Node; its client and its hooks are bundled with the application.
export default { serverExternalPackages: ['gatehouse-auth/dist'] } satisfies NextConfig;
