// The client that the pages load; scripts/pages-scripts.ts makes it of these sources.
export * from '../src/client/core.ts';
