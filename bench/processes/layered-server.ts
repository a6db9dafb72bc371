/**
 * An introspection up to one of its layers, and then an answer that was ready before: the difference to the layer below is
 * what the layer costs. Everything is the program's own.
 */
import { createServer } from 'node:http';
import { AUTHENTICATION_PARAMETERS } from '../../src/clients/client-authentication/method.ts';
import { rememberedOutcomes } from '../../src/clients/client-authentication/remembered-outcomes.ts';
import type { EndpointRequest } from '../../src/endpoints/contract.ts';
import { contract } from '../../src/endpoints/introspection/contract.ts';
import { startHost } from '../../src/http/host.ts';
import type { Request, Response } from '../../src/http/messages.ts';
import { INTERNAL_MESSAGES } from '../../src/http/node-internals.ts';
import { type Awaitable, whenKnown } from '../../src/spec/awaitable.ts';
import { type ClientId, DEFAULT_TENANT } from '../../src/spec/identifiers.ts';
import { type Parameters, parseForm } from '../../src/spec/parameters.ts';
import { withRecordCache } from '../../src/storage/record-cache.ts';
import { openSqliteStorage } from '../../src/storage/sqlite/open.ts';
import { findAccessToken } from '../../src/tokens/access-token.ts';
import { openNeeds } from '../seed.ts';

/** In the order in which they are laid on each other. */
const LAYERS = ['messages', 'host', 'form', 'authorization', 'client', 'token'] as const;
export type Layer = (typeof LAYERS)[number];

export interface LayeredOptions {
  readonly layer: Layer;
  readonly port: number;
  /** Of the database. */
  readonly path: string;
  readonly issuer: string;
  readonly client_id: string;
  readonly encryptionKey: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
}

const options = JSON.parse(process.argv[2] ?? '') as LayeredOptions;
const KEEP_ALIVE_MS = 65_000;
const LIMITS = { body: 65_536, header: 16_384 };
const PARAMETERS: ReadonlySet<string> = new Set(['token', 'token_type_hint', ...AUTHENTICATION_PARAMETERS]);

if (options.layer === 'messages') startMessages(options);
else await startHosted(options);
process.on('SIGTERM', () => process.exit());
process.on('disconnect', () => process.exit());

/** Node's server with our messages: the body taken whole, the head ready. */
function startMessages({ port, headers, body }: LayeredOptions): void {
  const head = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const rest = `connection: keep-alive\r\ncontent-length: ${body.length}\r\n\r\n`;
  const text = `HTTP/1.1 200 OK\r\n${head}date: ${new Date().toUTCString()}\r\n${rest}`;
  const server = createServer({
    IncomingMessage: INTERNAL_MESSAGES.requestsUpTo(LIMITS.body),
    ServerResponse: INTERNAL_MESSAGES.response,
    keepAliveTimeout: KEEP_ALIVE_MS,
    requireHostHeader: false,
  });
  server.on('request', (request: Request, response: Response) => {
    request.readBody(() => response.sendReady(200, text, body, 'latin1'));
  });
  server.listen(port, '127.0.0.1');
}

async function startHosted({ port, headers, body, ...world }: LayeredOptions): Promise<void> {
  const answer = { status: 200, headers: Object.freeze(Object.fromEntries(headers)), body };
  const work = await workOf(world);
  await startHost({
    sites: [
      {
        issuerPath: '',
        endpoints: [{ contract, handle: (request) => whenKnown(work(request), () => answer) }],
        allowedOrigins: [],
      },
    ],
    listen: {
      host: '127.0.0.1',
      port,
      maxConnections: 10_000,
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      checkInterval: 1_000,
      keepAliveTimeout: KEEP_ALIVE_MS,
      closeTimeout: 1_000,
    },
    limits: LIMITS,
    log: { info() {}, warn() {}, error() {} },
    observe: () => undefined,
  });
}

type Work = (request: EndpointRequest) => Awaitable<unknown>;
type World = Pick<LayeredOptions, 'layer' | 'path' | 'issuer' | 'client_id' | 'encryptionKey'>;

async function workOf({ layer, path, issuer, client_id, encryptionKey }: World): Promise<Work> {
  const depth = LAYERS.indexOf(layer);
  const has = (wanted: Layer): boolean => depth >= LAYERS.indexOf(wanted);
  const storage = await openSqliteStorage(path, { check: false });
  const kept = withRecordCache(storage.forTenant(DEFAULT_TENANT), {
    clients: 100_000,
    accessTokens: 200_000,
  });
  const { needs: tokenNeeds, client } = await openNeeds(
    storage,
    issuer,
    client_id as ClientId,
    encryptionKey,
  );
  const needs = { ...tokenNeeds, store: kept.accessTokens };
  const outcomes = rememberedOutcomes();
  const [secret] = client.secrets;
  if (secret === undefined) throw new Error('the client has no secret');
  const authorize = (header: string): void => {
    if (outcomes.get(header) === undefined) outcomes.set(header, { ...client, secret });
  };
  return ({ headers, body }) => {
    const form: Parameters = has('form')
      ? parseForm(headers['content-type'], body, PARAMETERS, { parameters: 50 })
      : {};
    if (has('authorization')) authorize(headers['authorization'] ?? '');
    if (!has('client')) return undefined;
    return whenKnown(kept.clients.find(client.client_id), () =>
      has('token') ? findAccessToken(needs, form['token'] ?? '') : undefined,
    );
  };
}
