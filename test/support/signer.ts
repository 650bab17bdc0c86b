import type { Clock } from '../../src/clock.ts';
import { loadConfig } from '../../src/config/load.ts';
import { type TokenSettings, Tokens } from '../../src/crypto/tokens.ts';
import { lifetimesOf } from '../../src/domain/issuing.ts';
import { jwtSecret } from './app.ts';

const { config } = loadConfig({ arguments: { jwtSecret }, env: {}, cwd: import.meta.dirname });

/** The tokens of an app as it issues and accepts them with the default lifetimes, unless a test says otherwise. */
export const signer = (clock: Clock, more: Partial<TokenSettings> = {}): Tokens =>
  new Tokens({ secret: jwtSecret, algorithm: 'HS256', clock, lifetimes: lifetimesOf(config), ...more });
