import type { Account } from '../services/account.ts';
import { type Field, mutation } from './field.ts';

export const accountFields = ({ deleteAccount }: Account): Field[] => [mutation(deleteAccount)];
