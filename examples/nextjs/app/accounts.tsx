'use client';

import { createClient } from 'gatehouse-auth/client';
import { GatehouseProvider } from 'gatehouse-auth/react';
import type { ReactNode } from 'react';

const client = createClient({ url: '/api/auth' });

/** Gives the components below it the session of this browser. */
export function Accounts({ children }: { children: ReactNode }) {
  return <GatehouseProvider client={client}>{children}</GatehouseProvider>;
}
