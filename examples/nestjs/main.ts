import { Controller, Get, Module, Req, UseGuards } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { gatehouse, port, SessionGuard, Shutdown } from './gatehouse.js';

@Controller('orders')
@UseGuards(SessionGuard)
class OrdersController {
  @Get()
  list(@Req() { auth }: { auth: { user: { id: string } } }) {
    return { customer: auth.user.id, orders: [{ id: 1, item: 'Lantern' }] };
  }
}

@Module({ controllers: [OrdersController], providers: [Shutdown] })
class AppModule {}

const app = await NestFactory.create(AppModule, { logger: ['error', 'warn'] });
app.use(gatehouse.handler);
app.enableShutdownHooks();
await app.listen(port);
console.log(`listening on ${gatehouse.config.baseUrl}`);
