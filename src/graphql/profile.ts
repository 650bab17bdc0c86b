import type { Profile } from '../services/profile.ts';
import { type Field, mutation, query } from './field.ts';

export const profileFields = ({ me, updateProfile }: Profile): Field[] => [
  query(me),
  mutation(updateProfile),
];
