import { randomBytes, randomUUID } from 'node:crypto';
import { createServer, type Socket } from 'node:net';
import { listeningPort } from '../../../src/testing/listening-port.ts';
import type { Program } from '../../program/start.ts';
import { type Experiment, milliseconds } from '../experiment.ts';
import type { Ledger } from '../ledger.ts';
import { quantiles } from '../load-figures.ts';
import { openDescriptors, settledDescriptors } from '../process-figures.ts';
import { bearer, call } from '../registry-calls.ts';
import { underFault } from '../under-fault.ts';

const CLIENTS = 20;
const CALLERS = 200;
const HANGING_MS = 8_000;
/** `outbound.timeout` is 3 s for the fetch; the rest is for a machine that does other things too. */
const SLOWEST_MS = 6_000;
const DESCRIPTORS_GROWTH_MAX = 16;

/** Accepts connections, and never says a word. */
export const hangingPeer: Experiment = {
  name: 'hanging-peer',
  fault:
    'F22, F23 the key sets of 20 clients hang, and 200 callers at once authenticate with keys from there',
  engines: ['sqlite'],
  acked_min: () => 100,
  async run(stand) {
    const sockets = new Set<Socket>();
    const silent = createServer((socket) => {
      sockets.add(socket);
      // The data is dropped, but it must be read: otherwise the end of the other side goes unnoticed.
      socket
        .on('error', () => undefined)
        .on('close', () => sockets.delete(socket))
        .resume();
    }).listen(0, '127.0.0.1');
    const port = await listeningPort(silent);
    try {
      const environment = {
        CHANCERY_OUTBOUND_ALLOW_NETWORKS: '127.0.0.0/8',
        CHANCERY_OUTBOUND_PORTS: 'any',
        CHANCERY_OUTBOUND_NEGATIVE_CACHE: '0',
        CHANCERY_FEDERATION_FAILURE_CACHE: '0',
        // The count of open files settles when idle connections have ended.
        CHANCERY_LISTEN_KEEP_ALIVE_TIMEOUT: '5',
      };
      const node = await stand.start({ environment });
      const inspector = await stand.inspector(node);
      const ids = await registerAll(stand.ledger, node, port);
      const before = openDescriptors(node);
      const times: number[] = [];
      let sockets_max = 0;
      const outcome = await underFault(stand, {
        nodes: [node],
        before_ms: 2_000,
        after_ms: 2_000,
        async fault() {
          const until = performance.now() + HANGING_MS;
          await Promise.all(
            Array.from({ length: CALLERS }, async (_, index) => {
              while (performance.now() < until) {
                times.push(await authenticate(node, ids[index % ids.length] ?? inspector.client_id));
                sockets_max = Math.max(sockets_max, sockets.size);
              }
            }),
          );
        },
        expect(figures) {
          const { failed } = figures.times('during');
          return failed > 0 ? [`${failed} requests of others failed`] : [];
        },
      });
      const after = await settledDescriptors(node, before + DESCRIPTORS_GROWTH_MAX);
      const { p50, max } = quantiles(times.toSorted((one, other) => one - other));
      const broken = [
        ...outcome.broken,
        ...(max > SLOWEST_MS ? [`a caller waited ${Math.round(max)} ms`] : []),
        ...(sockets_max === 0 ? ['the server asked the hanging peer for nothing'] : []),
        ...(after > before + DESCRIPTORS_GROWTH_MAX ? [`descriptors: ${before} before, ${after} after`] : []),
        ...(sockets.size > 0 ? [`${sockets.size} sockets to the peer are left`] : []),
      ];
      return {
        ...outcome,
        broken,
        figures: {
          'refused callers': `${times.length}, p50 ${milliseconds(p50)}, slowest ${milliseconds(max)}`,
          'sockets to the peer, most': String(sockets_max),
          'descriptors before / after': `${before} / ${after}`,
          ...outcome.figures,
        },
      };
    } finally {
      for (const socket of sockets) socket.destroy();
      silent.close();
    }
  },
};

async function registerAll(ledger: Ledger, node: Program, port: number): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let index = 0; index < CLIENTS; index += 1) {
    const mark = randomUUID();
    const json = {
      client_name: mark,
      grant_types: ['client_credentials'],
      scope: 'read',
      token_endpoint_auth_method: 'private_key_jwt',
      jwks_uri: `https://127.0.0.1:${port}/${index}`,
    };
    const op = ledger.sent({ kind: 'create', mark });
    const request = {
      method: 'POST',
      path: '/clients',
      authorization: bearer(node.masterToken),
      json,
    } as const;
    const { status, body } = await call(node, request);
    ledger.acked(op, status, body);
    ids.push((body as { client_id: string }).client_id);
  }
  return ids;
}

/** Authenticates with an assertion that cannot be verified without the key. @returns the time until the refusal */
async function authenticate(node: Program, client_id: string): Promise<number> {
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    iss: client_id,
    sub: client_id,
    aud: node.issuer,
    jti: randomUUID(),
    iat: now,
    exp: now + 60,
  };
  const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signature = randomBytes(64).toString('base64url');
  const started = performance.now();
  const answer = await fetch(`${node.url}/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: `${encoded({ alg: 'ES256', kid: 'a' })}.${encoded(claims)}.${signature}`,
    }),
  });
  await answer.arrayBuffer();
  if (answer.status !== 503) throw new Error(`an assertion that cannot be verified: ${answer.status}`);
  return performance.now() - started;
}
