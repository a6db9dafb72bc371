import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type TestContext, test } from 'node:test';
import { resolveThrough } from './resolver.ts';

const A = 1;
const CNAME = 5;
const AAAA = 28;

interface DnsRecord {
  readonly type: number;
  readonly data: Buffer;
  /** The offset of its name in the message; the name in question where absent. */
  readonly owner?: number;
}

const v4 = (...bytes: number[]): DnsRecord => ({ type: A, data: Buffer.from(bytes) });
const LOOPBACK_V6: DnsRecord = { type: AAAA, data: Buffer.from([...Array<number>(15).fill(0), 1]) };

/** A name server (RFC 1035 §4.1) that answers a question of a type with these records, or not at all. */
async function nameServer(
  t: TestContext,
  answer: (type: number) => readonly DnsRecord[] | undefined,
): Promise<{ readonly address: string; readonly queries: () => number }> {
  const socket = createSocket('udp4');
  let queries = 0;
  socket.on('message', (query, from) => {
    queries += 1;
    const question = query.subarray(12, query.indexOf(0, 12) + 5);
    const records = answer(question.readUInt16BE(question.length - 4));
    if (records === undefined) return;
    const header = Buffer.from([0, 0, 0x81, 0x80, 0, 1, 0, records.length, 0, 0, 0, 0]);
    query.copy(header, 0, 0, 2);
    const body = records.map(({ type, data, owner = 12 }) =>
      Buffer.concat([Buffer.from([0xc0, owner, 0, type, 0, 1, 0, 0, 0, 0, 0, data.length]), data]),
    );
    socket.send(Buffer.concat([header, question, ...body]), from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  t.after(() => socket.close());
  return { address: `127.0.0.1:${socket.address().port}`, queries: () => queries };
}

const signal = () => new AbortController().signal;

test('the addresses of both families are found, IPv4 first', async (t) => {
  const server = await nameServer(t, (type) =>
    type === A ? [v4(8, 8, 8, 8), v4(8, 8, 4, 4)] : [LOOPBACK_V6],
  );
  const found = await resolveThrough([server.address])('rp.example.com', signal());
  assert.deepEqual(found, ['8.8.8.8', '8.8.4.4', '::1']);
});

test('a CNAME to localhost gives the addresses behind it, for the caller to refuse (H-044)', async (t) => {
  // The owner of the second record is the target of the first, which begins at offset 12 + question + 12.
  const alias = { type: CNAME, data: Buffer.from('\x09localhost\x00', 'latin1') };
  const target: DnsRecord = {
    ...v4(127, 0, 0, 1),
    owner: 12 + '\x05alias\x07example\x03com\x00'.length + 4 + 12,
  };
  const server = await nameServer(t, (type) => (type === A ? [alias, target] : []));
  assert.deepEqual(await resolveThrough([server.address])('alias.example.com', signal()), ['127.0.0.1']);
});

test('one address family that hangs does not delay the other (RFC 8305 §3)', async (t) => {
  const server = await nameServer(t, (type) => (type === A ? [v4(8, 8, 8, 8)] : undefined));
  assert.deepEqual(await resolveThrough([server.address])('rp.example.com', signal()), ['8.8.8.8']);
});

test('a name with no address of either family rejects', async (t) => {
  const server = await nameServer(t, () => []);
  await assert.rejects(resolveThrough([server.address])('rp.example.com', signal()), { code: 'ENODATA' });
});

test('a name server that hangs for 200 names delays no file read, and the signal ends all look-ups (H-045)', async (t) => {
  const server = await nameServer(t, () => undefined);
  const controller = new AbortController();
  const resolve = resolveThrough([server.address]);
  const hanging = Array.from({ length: 200 }, (_, index) =>
    resolve(`n${index}.example.com`, controller.signal).then(
      () => 'found',
      () => 'ended',
    ),
  );
  // Both use the thread pool; with getaddrinfo these would wait for the names.
  await Promise.all(Array.from({ length: 20 }, () => readFile(import.meta.filename)));
  const stillHanging = await Promise.race([...hanging, Promise.resolve('hanging')]);
  assert.equal(stillHanging, 'hanging');
  controller.abort();
  assert.deepEqual(new Set(await Promise.all(hanging)), new Set(['ended']));
});

test('no name server is asked if the signal has aborted', async (t) => {
  const server = await nameServer(t, () => [v4(8, 8, 8, 8)]);
  await assert.rejects(resolveThrough([server.address])('rp.example.com', AbortSignal.abort()));
  assert.equal(server.queries(), 0);
});
