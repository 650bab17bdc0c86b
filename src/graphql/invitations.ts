import type { Invitations } from '../services/invitations.ts';
import { type Field, mutation } from './field.ts';

export const invitationsFields = ({ acceptInvitation }: Invitations): Field[] => [mutation(acceptInvitation)];
