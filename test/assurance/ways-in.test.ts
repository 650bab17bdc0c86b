import { expect, test } from 'vitest';
import { waysIn } from '../../scripts/docs/assurance.ts';
import { dataEncryptionKey, startApp } from '../support/app.ts';
import { operationsOf } from '../support/described.ts';
import { everyFactor } from '../support/every-factor.ts';
import { startInstantProvider } from '../support/instant-provider.ts';

// Shows asvs/6.1.3.
test('lists every way of signing in', async () => {
  const provider = await startInstantProvider();
  const app = await startApp({
    settings: {
      ...{ baseUrl: 'http://localhost:8000', dataEncryptionKey, enableSms2fa: true },
      ...{ ...everyFactor, enableOauth: true, oauth: provider.settings },
    },
  });
  const giving = (await operationsOf(app)).filter(({ givesSession }) => givesSession);
  await app.close();
  await provider.close();
  const named = new Set(waysIn.flatMap(({ operations }) => operations));
  expect(giving.map(({ operationId }) => operationId).toSorted()).toEqual([...named].toSorted());
});
