import { createGatehouse } from 'gatehouse-auth';
import { headers } from 'next/headers';
import { redirect } from 'next/navigation';

const files = { configFile: '../shop/svc.toml', secretsFile: '../shop/svc.secrets.env' };

export default async function Members() {
  globalThis.gatehouse ??= createGatehouse(files);
  const gatehouse = await globalThis.gatehouse;
  const request = new Request(gatehouse.config.baseUrl, { headers: await headers() });
  const session = await gatehouse.sessionOf(request, { browser: true });
  if (!session) redirect(gatehouse.config.urls.login);
  return <h1>Welcome, {session.user.fields.company}</h1>;
}
