import {
  type CanActivate,
  Controller,
  type ExecutionContext,
  Get,
  Inject,
  Injectable,
  Module,
  type OnApplicationShutdown,
  Req,
  UseGuards,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Gatehouse } from 'gatehouse-auth';

/** Admits people who are signed in. Anyone else gets the response of Gatehouse, and the request ends there. */
@Injectable()
class SessionGuard implements CanActivate {
  readonly #signedIn;
  constructor(@Inject('gatehouse') gatehouse: Gatehouse) {
    this.#signedIn = gatehouse.requireSession({ browser: true });
  }
  canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    return new Promise(resolve => this.#signedIn(http.getRequest(), http.getResponse(), () => resolve(true)));
  }
}

@Controller('orders')
@UseGuards(SessionGuard)
class OrdersController {
  @Get()
  list(@Req() { auth }: { auth: { user: { id: string } } }) {
    return { customer: auth.user.id, orders: [{ id: 1, item: 'Lantern' }] };
  }
}

/** Lets Gatehouse finish its work when the application ends. */
@Injectable()
class Shutdown implements OnApplicationShutdown {
  readonly #gatehouse: Gatehouse;
  constructor(@Inject('gatehouse') gatehouse: Gatehouse) {
    this.#gatehouse = gatehouse;
  }
  onApplicationShutdown = () => this.#gatehouse.close();
}

@Module({})
class AppModule {}

/** Returns the application around an instance of Gatehouse, which a test makes itself. */
export async function createApp(gatehouse: Gatehouse) {
  const providers = [{ provide: 'gatehouse', useValue: gatehouse }, Shutdown];
  const module = { module: AppModule, controllers: [OrdersController], providers };
  const app = await NestFactory.create(module, { logger: ['error', 'warn'] });
  app.use(gatehouse.handler);
  return app;
}
