import type { BrowserSession } from '../services/browser-session.ts';
import { type Field, mutation } from './field.ts';

export const browserSessionFields = ({ create, end }: BrowserSession): Field[] => [
  mutation(create),
  mutation(end),
];
