import type { Services } from '../services/index.ts';
import { loginRoutes } from './login.ts';
import { profileRoutes } from './profile.ts';
import { registrationRoutes } from './registration.ts';
import type { Route } from './route.ts';
import { sessionRoutes } from './session.ts';

/** Every route of the services that exist; the router mounts these, and the OpenAPI document lists them. */
export const routesOf = (services: Services): Route[] => [
  ...registrationRoutes(services.registration),
  ...loginRoutes(services.login),
  ...sessionRoutes(services.session),
  ...profileRoutes(services.profile),
];
