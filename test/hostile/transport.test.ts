import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Contract, Endpoint, EndpointRequest, EndpointResponse } from '../../src/endpoints/contract.ts';
import type { Host } from '../../src/http/host.ts';
import { startHost } from '../../src/http/host.ts';
import type { Messages } from '../../src/http/messages.ts';
import { BodyMemory } from '../../src/http/request-body.ts';
import { MESSAGES } from '../../src/testing/messages.ts';
import { testTransport } from './transport.ts';
import type { TransportTarget } from './transport-row.ts';

/** Endpoints that answer strangers as the real ones do, so that the same rows hold for both. */
function endpoint(
  contract: Pick<Contract, 'method' | 'path' | 'cors' | 'body'>,
  handle: (request: EndpointRequest) => EndpointResponse,
): Endpoint {
  const name = `${contract.method} ${contract.path}`;
  return {
    contract: {
      ...contract,
      name,
      specifications: [],
      purpose: 'Tests.',
      credentials: ['none'],
      answers: {},
      statuses: [],
      errors: 'json',
    },
    handle,
  };
}

const unauthorised = (): EndpointResponse => ({ status: 401, headers: { 'www-authenticate': 'Bearer' } });
const guarded = (request: EndpointRequest): EndpointResponse =>
  request.headers['authorization'] === 'Bearer good'
    ? { status: 200, headers: {}, body: '[]' }
    : unauthorised();

const endpoints = [
  endpoint({ method: 'GET', path: '/jwks.json', cors: 'any', body: 'none' }, () => ({
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: '{"keys":[]}',
  })),
  endpoint({ method: 'GET', path: '/clients', cors: 'configured', body: 'none' }, guarded),
  endpoint({ method: 'POST', path: '/clients', cors: 'configured', body: 'json' }, guarded),
  endpoint({ method: 'GET', path: '/clients/{id}', cors: 'configured', body: 'none' }, unauthorised),
  endpoint({ method: 'PUT', path: '/clients/{id}', cors: 'configured', body: 'json' }, unauthorised),
  endpoint({ method: 'DELETE', path: '/clients/{id}', cors: 'configured', body: 'none' }, unauthorised),
  endpoint({ method: 'POST', path: '/token/introspect', cors: 'configured', body: 'form' }, guarded),
  endpoint({ method: 'GET', path: '/health', cors: 'configured', body: 'none' }, () => ({
    status: 200,
    headers: {},
  })),
];

const times = { headers_ms: 400, request_ms: 800, check_ms: 100 };
const limits = { body_bytes: 65_536, header_bytes: 16_384 };
const BODIES_BYTES = 67_108_864;
const maxConnections = 100;

async function start(messages: Messages, errors: unknown[]): Promise<Host> {
  return await startHost({
    sites: [{ issuerPath: '', endpoints, allowedOrigins: [] }],
    listen: {
      host: '127.0.0.1',
      port: 0,
      maxConnections,
      headersTimeout: times.headers_ms,
      requestTimeout: times.request_ms,
      checkInterval: times.check_ms,
      keepAliveTimeout: 5_000,
      closeTimeout: 2_000,
    },
    limits: { body: limits.body_bytes, bodies: new BodyMemory(BODIES_BYTES), header: limits.header_bytes },
    log: { info() {}, warn() {}, error: (members) => errors.push(members) },
    observe() {},
    messages,
  });
}

function targetOf({ address: { port } }: Host): TransportTarget {
  const address = { host: '127.0.0.1', port };
  return {
    ...address,
    authorization: 'Bearer good',
    health: { ...address, path: '/health' },
    limits,
    times,
    maxConnections,
  };
}

for (const [label, messages] of MESSAGES) {
  describe(label, () => {
    const errors: unknown[] = [];
    let host: Host;
    before(async () => {
      host = await start(messages, errors);
    });
    after(() => host.close());

    testTransport(() => targetOf(host));

    test('nothing above was a fault of ours: the error log is empty', () => {
      assert.deepEqual(errors, []);
    });
  });
}
