import { renderToString } from 'react-dom/server';
import { application } from './app.ts';

/** Returns what a server sends before the browser takes over. */
export const rendered = (door: 'rest' | 'graphql'): string =>
  renderToString(application('/api/auth', door, () => {}));
