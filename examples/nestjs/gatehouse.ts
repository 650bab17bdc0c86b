import type { CanActivate, ExecutionContext, OnApplicationShutdown } from '@nestjs/common';
import { createGatehouse } from 'gatehouse-auth';

export const port = Number(process.env.PORT || 8000);
export const gatehouse = await createGatehouse({ baseUrl: `http://localhost:${port}`, enableUiRouter: true });
await gatehouse.installSchema();
const signedIn = gatehouse.requireSession();

/** Admits people who are signed in. Anyone else gets the response of Gatehouse, and the request ends there. */
export class SessionGuard implements CanActivate {
  canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    return new Promise(resolve => signedIn(http.getRequest(), http.getResponse(), () => resolve(true)));
  }
}

/** Lets Gatehouse finish its work when the application ends. */
export class Shutdown implements OnApplicationShutdown {
  onApplicationShutdown = () => gatehouse.close();
}
