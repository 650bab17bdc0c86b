import type { Login } from '../services/login.ts';
import { type Field, mutation } from './field.ts';

export const loginFields = ({ login }: Login): Field[] => [mutation(login)];
