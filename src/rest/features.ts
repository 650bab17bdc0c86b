import type { Features } from '../services/features.ts';
import { type Route, route } from './route.ts';

export const featuresRoutes = ({ features }: Features): Route[] => [route('GET', '/features', features)];
