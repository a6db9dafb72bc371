import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Program } from '../program/start.ts';
import { startProgram } from '../program/start.ts';
import { testTransport, testTransportRows } from './transport.ts';
import { rowsAtManagement } from './transport-management-rows.ts';
import type { TransportTarget } from './transport-row.ts';
import { ROWS } from './transport-rows.ts';

/** The same rows as in transport.test.ts, sent to the started program with its real endpoints. */
const times = { headers_ms: 1_000, request_ms: 2_000, check_ms: 1_000 };
const limits = { body_bytes: 65_536, header_bytes: 16_384 };
const maxConnections = 100;
let program: Program;
let target: TransportTarget;

before(async () => {
  program = await startProgram({
    environment: {
      CHANCERY_LISTEN_MAX_CONNECTIONS: String(maxConnections),
      CHANCERY_LISTEN_HEADERS_TIMEOUT: '1',
      CHANCERY_LISTEN_REQUEST_TIMEOUT: '2',
      CHANCERY_LISTEN_TIMEOUT_CHECK_INTERVAL: '1',
      CHANCERY_LIMITS_BODY: String(limits.body_bytes),
      CHANCERY_LIMITS_HEADER: String(limits.header_bytes),
    },
  });
  const management = new URL(program.managementUrl);
  target = {
    host: program.host,
    port: program.port,
    authorization: `Bearer ${program.masterToken}`,
    health: { host: management.hostname, port: Number(management.port), path: '/health/ready' },
    limits,
    times,
    maxConnections,
  };
});

after(() => program.stop());

testTransport(() => target);

// The same rows on the management listener: the administration, and health where the table asks for the key set.
testTransportRows(
  () => ({
    ...target,
    host: target.health.host,
    port: target.health.port,
    // There the tenant stands in a header.
    authorization: `Bearer ${program.adminToken}\r\nTenant-ID: ${program.tenant}`,
  }),
  rowsAtManagement(ROWS),
);

test('the log of all this holds no token, no fault of ours and no stack (I6)', () => {
  const output = program.output();
  assert.match(output, /refused/, 'the refusals above are in the log');
  assert.doesNotMatch(output, new RegExp(program.masterToken));
  assert.doesNotMatch(output, /"level":"error"|"level":50|\n\s+at |uncaught/i);
});
