import type { Features } from '../services/features.ts';
import { type Field, query } from './field.ts';

export const featuresFields = ({ features }: Features): Field[] => [query(features)];
