// Opens connections, asks once over each, and leaves them open until its input ends: node idle-client.ts PORT COUNT
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

const [port, count] = process.argv.slice(2).map(Number) as [number, number];
/** How many are being opened at a time. */
const atOnce = 20;
const open = new Set<Socket>();

async function openOne(): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await once(socket, 'data');
  open.add(socket);
  socket.once('close', () => open.delete(socket)).on('error', () => {});
  // Unread, the end of the other side would not be noticed.
  socket.resume();
}

let opened = 0;
await Promise.all(
  Array.from({ length: atOnce }, async () => {
    while (opened++ < count) await openOne();
  }),
);
console.log('opened');
process.stdin.resume().once('end', () => {
  console.log(`open ${open.size}`);
  process.exit();
});
