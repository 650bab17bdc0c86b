// Runs one of the servers in several processes that share a port.
import cluster from 'node:cluster';
import { join } from 'node:path';

const { BENCH_SERVER, BENCH_PROCESSES } = process.env;
cluster.setupPrimary({ exec: join(import.meta.dirname, BENCH_SERVER!) });
let ready = 0;
for (let i = 0; i < Number(BENCH_PROCESSES); i++) {
  cluster.fork().on('message', message => {
    if (++ready === Number(BENCH_PROCESSES)) process.send!(message);
  });
}
process.once('SIGTERM', () => process.exit(0));
process.once('disconnect', () => process.exit(0));
