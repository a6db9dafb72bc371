import assert from 'node:assert/strict';
import type { RawAnswer } from '../../test/program/raw-socket.ts';
import { basic, httpSubject, requestHead, requests } from '../http-subject.ts';
import { introspectionWithBasic, verifyActive } from '../introspection-load.ts';
import type { LoadOrder } from '../load.ts';
import type { Caller } from '../ours.ts';
import type { Compared } from '../peers/compared.ts';
import { introspectOnce } from '../peers/issue-tokens.ts';
import type { Benchmark, Subject } from '../subject.ts';
import { tokenOrder, verifyIssued } from './token.ts';

interface Comparison {
  readonly name: string;
  readonly title: string;
  /** Returns undefined for a server that does not have it. */
  readonly orderTo: (server: Compared) => LoadOrder | undefined;
  readonly verify: (answer: RawAnswer) => void;
  /** Proves that the first answer is not only well formed. */
  readonly prove?: (server: Compared, answer: RawAnswer) => Promise<void>;
}

/** All servers run on until the run ends: each table loads the same ones. */
function comparison({ name, title, orderTo, verify, prove }: Comparison): Benchmark {
  return {
    name,
    title: `Against peers, durable: ${title}`,
    unit: 'per second',
    needsTokens: true,
    aims: [],
    rounds: (scale) => scale.rounds,
    async open(bench) {
      const subjects: Subject[] = [];
      for (const server of bench.compared()) {
        const order = orderTo(server);
        if (order === undefined) continue;
        const name =
          order.connections === undefined ? server.name : `${server.name}, ${order.connections} connection`;
        const running = { ...server, name, slow: true, close: async () => undefined };
        const { subject, verified } = await httpSubject(bench, running, order, verify);
        await prove?.(server, verified);
        subjects.push(subject);
      }
      return subjects;
    },
  };
}

export const peersIntrospection = comparison({
  name: 'peers-introspection',
  title: 'introspection (RFC 7662), Basic authentication, repeated tokens',
  orderTo: ({ port, paths, tokens, ...caller }) =>
    introspectionWithBasic(port, caller, tokens, paths.introspection),
  verify: verifyActive,
  async prove({ port, paths, ...caller }) {
    const unknown = await introspectOnce(port, paths.introspection, caller, 'unknown');
    assert.equal(unknown, false, 'it calls any token active');
  },
});

export const peersToken = comparison({
  name: 'peers-token',
  title: 'token endpoint, client_credentials (RFC 6749 §4.4)',
  orderTo: ({ port, paths, ...caller }) => tokenOrder(port, caller, paths.token),
  verify: verifyIssued,
  async prove({ port, paths, ...caller }, { body }) {
    const { access_token } = JSON.parse(body) as { access_token: string };
    assert.equal(await introspectOnce(port, paths.introspection, caller, access_token), true);
  },
});

const JSON_TYPE = { 'content-type': 'application/json' };
const REGISTRATION = {
  client_name: 'A client of the benchmark',
  redirect_uris: ['https://client.example.com/callback'],
  contacts: ['admin@client.example.com'],
  // The default of RFC 7591, which not every peer knows.
  token_endpoint_auth_method: 'client_secret_basic',
  grant_types: ['authorization_code'],
  response_types: ['code'],
};

export const peersRegistration = comparison({
  name: 'peers-registration',
  title: 'open client registration (RFC 7591)',
  orderTo: ({ port, paths: { registration }, registeringConnections: connections }) =>
    registration === undefined
      ? undefined
      : {
          port,
          requests: requests(requestHead('POST', registration, JSON_TYPE), [JSON.stringify(REGISTRATION)]),
          ...(connections === undefined ? {} : { connections }),
        },
  verify({ status, body }) {
    assert.ok(status === 200 || status === 201, `status ${status}`);
    const { client_id, client_secret } = JSON.parse(body) as Partial<Caller>;
    assert.ok(typeof client_id === 'string' && typeof client_secret === 'string', body);
  },
  async prove({ name, port, paths, provingGrant = 'authorization_code' }) {
    const registered = await fetch(`http://127.0.0.1:${port}${paths.registration}`, {
      method: 'POST',
      headers: JSON_TYPE,
      body: JSON.stringify({
        ...REGISTRATION,
        grant_types: [...new Set(['authorization_code', provingGrant])],
      }),
    });
    const client = (await registered.json()) as Caller;
    assert.ok(registered.ok, JSON.stringify(client));
    const wrong = { ...client, client_secret: `${client.client_secret}x` };
    assert.equal(await asks(port, paths.token, provingGrant, client), 400, `${name}: its secret is refused`);
    assert.notEqual(
      await asks(port, paths.token, provingGrant, wrong),
      400,
      `${name}: any secret is accepted`,
    );
  },
});

/** Asks for what the client does not get. @returns the status: 400 after a right secret, otherwise 401 (RFC 6749 §5.2) */
async function asks(
  port: number,
  path: string,
  grant_type: string,
  { client_id, client_secret }: Caller,
): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { authorization: basic(client_id, client_secret) },
    body: new URLSearchParams({
      grant_type,
      code: 'no-such-code',
      redirect_uri: 'https://client.example.com/callback',
      scope: 'no-such-scope',
    }),
  });
  await response.arrayBuffer();
  return response.status;
}
