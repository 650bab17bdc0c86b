/** The events of features: one line for each feature that has some. */
export { events as apiKeys } from './api-keys/events.ts';
export { events as newSignIns } from './new-sign-ins/events.ts';
