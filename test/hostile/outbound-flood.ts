import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { signedJwt, testKey } from '../../src/testing/jwt.ts';
import { listeningPort } from '../../src/testing/listening-port.ts';
import { addTenant } from '../../src/testing/storage/add-tenant.ts';
import { type Program, sha256 } from '../program/start.ts';
import { storageAt } from '../program/storage-place.ts';

/** The environment of a server that may fetch from this machine, behind a proxy that names the networks of requesters. */
export const FLOODED = {
  CHANCERY_OUTBOUND_ALLOW_HTTP: 'true',
  CHANCERY_OUTBOUND_ALLOW_NETWORKS: '127.0.0.0/8',
  CHANCERY_OUTBOUND_PORTS: 'any',
  CHANCERY_LISTEN_TRUSTED_PROXIES: '127.0.0.0/8',
};

export const STRANGER = '198.51.100.1';

const KEY = testKey('ES256', 'own');
const FORGED = testKey('ES256', 'forged');

/** Hosts on loopback addresses that accept every connection and never answer. */
export interface MuteHosts {
  /** Connections that are open now. */
  readonly open: number;
  /** Connections that were ever opened. */
  readonly accepted: number;
  /** Returns the URL of the host with this number: each has an address of its own. */
  url(number: number): string;
  close(): Promise<void>;
}

export async function startMuteHosts(): Promise<MuteHosts> {
  const sockets = new Set<Socket>();
  let accepted = 0;
  const server = createServer((socket) => {
    accepted += 1;
    sockets.add(socket);
    // The data must be read: otherwise the end of the other side goes unnoticed.
    socket
      .on('error', () => undefined)
      .on('close', () => sockets.delete(socket))
      .resume();
  }).listen(0, '0.0.0.0');
  const port = await listeningPort(server);
  return {
    get open() {
      return sockets.size;
    },
    get accepted() {
      return accepted;
    },
    url: (number) => `http://127.9.${number >> 8}.${number & 255}:${port}/keys`,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Serves the key of the honest clients; each client has an address of its own there. */
export async function startKeyHost(): Promise<{
  readonly url: (number: number) => string;
  readonly close: () => void;
}> {
  const keys = JSON.stringify({ keys: [KEY.jwk] });
  const server = createHttpServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/jwk-set+json' }).end(keys);
  }).listen(0, '0.0.0.0');
  const port = await listeningPort(server);
  return {
    url: (number) => `http://127.8.${number >> 8}.${number & 255}:${port}/keys`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** An issuer of the program, and a token that opens its registry. */
export interface Registry {
  readonly url: string;
  readonly issuer: string;
  readonly masterToken: string;
}

/** Adds a tenant beside the default one, in the database at `stored`. */
export async function secondTenant({ issuer, url }: Program, stored: string): Promise<Registry> {
  const masterToken = randomBytes(32).toString('hex');
  const storage = await storageAt(stored);
  try {
    await addTenant(storage, {
      id: 'second',
      issuer: `${issuer}/second`,
      settings: { 'registration.master-token-sha256': [sha256(masterToken)] },
    });
  } finally {
    await storage.close();
  }
  return { url: `${url}/second`, issuer: `${issuer}/second`, masterToken };
}

/** Writes down that a client with this name is sent, and then the answer. */
export type Recorder = (client_name: string) => (status: number, body: unknown) => void;

/** Registers clients that authenticate with the keys at these URLs. */
export async function registerKeyed(
  at: Registry,
  urls: readonly string[],
  record: Recorder = () => () => undefined,
): Promise<readonly string[]> {
  const ids: string[] = [];
  const register = async (jwks_uri: string): Promise<void> => {
    const client_name = randomUUID();
    const answered = record(client_name);
    const response = await fetch(`${at.url}/clients`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${at.masterToken}` },
      body: JSON.stringify({
        client_name,
        grant_types: ['client_credentials'],
        token_endpoint_auth_method: 'private_key_jwt',
        jwks_uri,
      }),
    });
    const body = (await response.json()) as { readonly client_id?: string };
    answered(response.status, body);
    const { client_id } = body;
    ids.push(client_id ?? assert.fail(`${response.status}`));
  };
  const left = [...urls];
  const worker = async (): Promise<void> => {
    for (let url = left.shift(); url !== undefined; url = left.shift()) await register(url);
  };
  await Promise.all(Array.from({ length: 16 }, worker));
  return ids;
}

/** The answer to a request of a client, in short. */
export interface Outcome {
  readonly status: number;
  readonly error: string | undefined;
  readonly retryAfter: string | null;
}

/** Asks for a token as this client, from this network. Forged: the signature is by another key. */
export async function authenticate(
  at: Registry,
  client_id: string,
  from: string,
  { forged = false } = {},
): Promise<Outcome> {
  const now = Math.floor(Date.now() / 1000);
  const jti = randomBytes(16).toString('hex');
  const claims = { iss: client_id, sub: client_id, aud: at.issuer, exp: now + 60, iat: now, jti };
  const response = await fetch(`${at.url}/token`, {
    method: 'POST',
    headers: { 'x-forwarded-for': from },
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: signedJwt(forged ? FORGED : KEY, claims),
    }),
  });
  const { error } = JSON.parse((await response.text()) || '{}') as { readonly error?: string };
  return { status: response.status, error, retryAfter: response.headers.get('retry-after') };
}

/** A flood of requests that runs until `stop`, which waits for the last answers. */
export interface Flood {
  readonly outcomes: readonly Outcome[];
  stop(): Promise<void>;
}

/** Sends `perSecond` requests a second, without waiting for their answers. */
export function flood(perSecond: number, send: (number: number) => Promise<Outcome>): Flood {
  const outcomes: Outcome[] = [];
  const underWay = new Set<Promise<void>>();
  let sent = 0;
  const timer = setInterval(() => {
    const request = send(sent++)
      .then((outcome) => void outcomes.push(outcome))
      .finally(() => underWay.delete(request));
    underWay.add(request);
  }, 1000 / perSecond);
  return {
    outcomes,
    async stop() {
      clearInterval(timer);
      await Promise.all(underWay);
    },
  };
}

/** Waits until the condition holds; a server that is slow beside other work has time. */
export async function until(what: string, condition: () => boolean): Promise<void> {
  for (let attempt = 0; attempt < 1000; attempt += 1) {
    if (condition()) return;
    await sleep(20);
  }
  assert.fail(`never: ${what}`);
}
