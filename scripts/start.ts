// What `npm start` runs: a configuration where there is none, then the server, in one process that signals reach.
import { run } from '../src/cli/program.ts';

await run([process.execPath, 'svc', 'init', '--yes', '--no-next']);
if (!process.exitCode) await run([process.execPath, 'svc', 'serve', '--dev', ...process.argv.slice(2)]);
