// `npm start`: creates a configuration if there is none, then serves, in one process that receives the signals.
import { run } from '../src/cli/program.ts';
import { writePagesScripts } from './pages-scripts.ts';

await writePagesScripts();
await run([process.execPath, 'svc', 'init', '--yes', '--no-next']);
if (!process.exitCode) await run([process.execPath, 'svc', 'serve', '--dev', ...process.argv.slice(2)]);
