import type { NotMe } from '../services/not-me.ts';
import { type Field, mutation } from './field.ts';

export const notMeFields = ({ reportNotMe }: NotMe): Field[] => [mutation(reportNotMe)];
