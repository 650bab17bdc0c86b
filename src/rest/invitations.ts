import type { Invitations } from '../services/invitations.ts';
import { type Route, route } from './route.ts';

export const invitationsRoutes = ({ acceptInvitation }: Invitations): Route[] => [
  route('POST', '/accept-invitation', acceptInvitation),
];
