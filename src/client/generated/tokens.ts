// Generated from the operations by `npm run docs`.

import type { Operation } from '../operation.ts';

// biome-ignore format: one operation a line
export const tokensTable: readonly Operation[] = [
  ["issueAccessToken","P","/tokens","","accessToken tokenType expiresIn scope"],
];
