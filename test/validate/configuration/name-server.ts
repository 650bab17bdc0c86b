import { createSocket } from 'node:dgram';
import { once } from 'node:events';

/** The records of one name; a text may be in several pieces. */
export interface Records {
  A?: string[];
  AAAA?: string[];
  MX?: [priority: number, exchange: string][];
  TXT?: (string | string[])[];
}

const types = { A: 1, MX: 15, TXT: 16, AAAA: 28 } as const;
const nameError = 3;

/** A name server on loopback (RFC 1035) that knows these names, and fails on those that are `broken`. */
export async function startNameServer(zone: Record<string, Records | 'broken'>) {
  const socket = createSocket('udp4');
  socket.on('message', (query, { port, address }) => socket.send(answer(query, zone), port, address));
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return { address: `127.0.0.1:${socket.address().port}`, close: () => socket.close() };
}

const serverFailure = 2;

function answer(query: Buffer, zone: Record<string, Records | 'broken'>): Buffer {
  const { name, type, end } = question(query);
  const records = zone[name];
  const data = records === undefined || records === 'broken' ? [] : dataOf(records, type);
  const header = Buffer.from(query.subarray(0, 12));
  const code = records === undefined ? nameError : records === 'broken' ? serverFailure : 0;
  // An authoritative response, with its code; one question, so many answers, and nothing else.
  header.writeUInt16BE(0x8580 | code, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(data.length, 6);
  header.writeUInt32BE(0, 8);
  const answers = data.map(bytes => {
    const record = Buffer.alloc(12);
    // The name of the question, by a pointer to it; class IN; a minute to live.
    record.writeUInt16BE(0xc00c, 0);
    record.writeUInt16BE(type, 2);
    record.writeUInt16BE(1, 4);
    record.writeUInt32BE(60, 6);
    record.writeUInt16BE(bytes.length, 10);
    return Buffer.concat([record, bytes]);
  });
  return Buffer.concat([header, query.subarray(12, end), ...answers]);
}

function question(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length).toLowerCase());
    at += 1 + length;
  }
  return { name: labels.join('.'), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function dataOf(records: Records, type: number): Buffer[] {
  switch (type) {
    case types.A:
      return (records.A ?? []).map(text => Buffer.from(text.split('.').map(Number)));
    case types.AAAA:
      return (records.AAAA ?? []).map(text => Buffer.from(text.replaceAll(':', ''), 'hex'));
    case types.MX:
      return (records.MX ?? []).map(([priority, exchange]) =>
        Buffer.concat([Buffer.from([0, priority]), encoded(exchange)]),
      );
    case types.TXT:
      return (records.TXT ?? []).map(text => Buffer.concat([text].flat().map(counted)));
    default:
      return [];
  }
}

const counted = (text: string) => Buffer.concat([Buffer.from([text.length]), Buffer.from(text, 'latin1')]);

const encoded = (name: string) =>
  Buffer.concat([...name.split('.').filter(Boolean).map(counted), Buffer.from([0])]);
