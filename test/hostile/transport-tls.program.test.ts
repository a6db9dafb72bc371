import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { converse } from '../program/raw-socket.ts';
import { SERVER_AUTHORITY, SERVER_NAME, startTlsProgram, type TlsProgram } from '../tls/tls-program.ts';
import { testTransportRows } from './transport.ts';
import { get, type TransportTarget } from './transport-row.ts';
import { ROWS } from './transport-rows.ts';

/** The rows of transport.program.test.ts over TLS, where callers are asked for certificates and these have none. */
let server: TlsProgram;
let target: TransportTarget;

before(async () => {
  server = await startTlsProgram({
    CHANCERY_LISTEN_TLS_CLIENT_CERTIFICATES: 'optional',
    CHANCERY_LIMITS_BODY: '65536',
    CHANCERY_LIMITS_HEADER: '16384',
  });
  const { program } = server;
  const management = new URL(program.managementUrl);
  target = {
    host: program.host,
    port: program.port,
    tls: { ca: SERVER_AUTHORITY.certificate, servername: SERVER_NAME },
    authorization: `Bearer ${program.masterToken}`,
    health: { host: management.hostname, port: Number(management.port), path: '/health/ready' },
    limits: { body_bytes: 65_536, header_bytes: 16_384 },
    times: { headers_ms: 5_000, request_ms: 10_000, check_ms: 1_000 },
    maxConnections: 4096,
  };
});

after(() => server.stop());

/**
 * Node reads TLS a record (16 KB) at a time and gives up on a second one that comes while earlier requests wait for their
 * answers (HPE_PAUSED, seen in 26.10): over TLS fewer requests can be under way on one connection.
 */
const PIPELINED = /^H-039 1,000 pipelined requests/;

testTransportRows(
  () => target,
  ROWS.filter(({ name }) => !PIPELINED.test(name)),
);

async function pipeline(count: number): Promise<readonly number[]> {
  const requests = Array.from({ length: count }, (_, index) =>
    get(index % 2 === 0 ? '/jwks.json' : '/nothing'),
  );
  const { answers } = await converse(target, [requests.join('')], { until: count });
  return answers.map(({ status }) => status);
}

test('H-039 200 pipelined requests over TLS: answers in order', async () => {
  const expected = Array.from({ length: 200 }, (_, index) => (index % 2 === 0 ? 200 : 404));
  assert.deepEqual(await pipeline(200), expected);
});

test('H-039 1,000 pipelined requests over TLS: those that are answered are answered in order, and nothing else is', async () => {
  const statuses = await pipeline(1_000);
  assert.ok(statuses.length > 0);
  const expected = statuses.map((_, index) => (index % 2 === 0 ? 200 : 404));
  assert.deepEqual(statuses, expected);
});

test('the log of all this holds no token, no fault of ours and no stack (I6)', () => {
  const output = server.program.output();
  assert.match(output, /refused/, 'the refusals above are in the log');
  assert.ok(!output.includes(server.program.masterToken));
  assert.doesNotMatch(output, /"level":"error"|"level":50|\n\s+at |uncaught/i);
});
