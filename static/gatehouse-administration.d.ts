export { administration } from '../src/client/administration.ts';
