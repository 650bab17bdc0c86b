export { addPasswords as addCommands } from './build-command.ts';
