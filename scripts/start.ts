// `npm start`: creates a configuration if there is none, then serves, in one process that receives the signals. With `--demo`,
// a fresh database is filled before.
import { run } from '../src/cli/program.ts';
import { writePagesScripts } from './pages-scripts.ts';

const args = process.argv.slice(2);
const isDemo = args.includes('--demo');

await writePagesScripts();
await run([process.execPath, 'svc', 'init', '--yes', '--no-next']);
if (!process.exitCode && isDemo) {
  const { demoVariables, fillDemo } = await import('./demo/fill.ts');
  Object.assign(process.env, demoVariables);
  console.log('Filling the database for the demonstration …');
  for (const line of await fillDemo()) console.log(line);
}
if (!process.exitCode)
  await run([process.execPath, 'svc', 'serve', '--dev', ...args.filter(arg => arg !== '--demo')]);
