import type { ReactNode } from 'react';
import { Accounts } from './accounts';

export default function Layout({ children }: { children: ReactNode }) {
  return (
    <html lang="en">
      <body>
        <Accounts>{children}</Accounts>
      </body>
    </html>
  );
}
