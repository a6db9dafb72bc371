import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Contract, Endpoint, EndpointRequest, EndpointResponse } from '../endpoints/contract.ts';
import type { Host, Limits } from '../http/host.ts';
import { startHost } from '../http/host.ts';
import type { Messages } from '../http/messages.ts';
import { BodyMemory } from '../http/request-body.ts';

type Handle = (request: EndpointRequest) => EndpointResponse | Promise<EndpointResponse>;
type Line = Readonly<Record<string, unknown>>;

export interface Running {
  readonly host: Host;
  readonly address: { readonly host: string; readonly port: number };
  readonly infos: Line[];
  readonly errors: Line[];
  readonly observed: [name: string, status: number][];
}

export const ok: EndpointResponse = {
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: '{}',
};

const BODY_BYTES = 1_000;
const LIMITS: Limits = { body: BODY_BYTES, bodies: new BodyMemory(1_000 * BODY_BYTES), header: 16_384 };

/** Starts a host with one endpoint, `GET /x/{id}` unless the contract's members say otherwise. */
export async function runHost(
  t: TestContext,
  messages: Messages,
  handle: Handle,
  some: Partial<
    Contract & {
      stallTimeout: number;
      port: number;
      maxConnections: number;
      limits: Limits;
      closeTimeout: number;
      acceptors: number;
    }
  > = {},
): Promise<Running> {
  const {
    stallTimeout,
    port = 0,
    maxConnections = 50,
    limits = LIMITS,
    closeTimeout = 300,
    acceptors = 1,
    ...changes
  } = some;
  const contract: Contract = {
    name: 'list',
    method: 'GET',
    path: '/x/{id}',
    specifications: [],
    purpose: 'Tests.',
    credentials: ['none'],
    answers: {},
    statuses: [],
    errors: 'json',
    cors: 'configured',
    body: 'none',
    ...changes,
  };
  const endpoint: Endpoint = { contract, handle };
  const infos: Line[] = [];
  const errors: Line[] = [];
  const observed: [string, number][] = [];
  const host = await startHost({
    sites: [{ issuerPath: '', endpoints: [endpoint], allowedOrigins: ['https://a.test'] }],
    listen: {
      host: '127.0.0.1',
      port,
      acceptors,
      maxConnections,
      headersTimeout: 5_000,
      requestTimeout: 10_000,
      checkInterval: 1_000,
      keepAliveTimeout: 60_000,
      stallTimeout: stallTimeout ?? 30_000,
      closeTimeout,
    },
    limits,
    log: { info: (line) => infos.push(line), warn() {}, error: (line) => errors.push(line) },
    observe: (name, status) => observed.push([name, status]),
    messages,
  });
  t.after(() => host.close());
  return { host, address: { host: '127.0.0.1', port: host.address.port }, infos, errors, observed };
}

export const GET = 'GET /x/a%2Fb?token=s%65same HTTP/1.1\r\nHost: h\r\n\r\n';

/** Waits until the condition holds, at most four seconds. */
export async function soon(holds: () => boolean): Promise<void> {
  for (let tries = 0; tries < 400 && !holds(); tries++)
    await new Promise((resolve) => setTimeout(resolve, 10));
  assert.ok(holds(), 'did not come about within four seconds');
}
