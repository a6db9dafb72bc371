import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { segment, signedJwt, testKey } from '../../src/testing/jwt.ts';
import { listeningPort } from '../../src/testing/listening-port.ts';
import { type Program, startProgram } from '../program/start.ts';

/** Request objects by reference (RFC 9101 §5.2), fetched by the started program from servers on loopback. */
const CALLBACK = 'https://rp.example/cb';
const KEY = testKey('ES256', 'own');
const STRANGER = testKey('ES256', 'own');
const MEGABYTE = 1_048_576;
const TYPE = { 'content-type': 'application/oauth-authz-req+jwt' };
const PARALLEL = 60;

type Behaviour = (response: ServerResponse, request: IncomingMessage) => void;

let program: Program;
let production: Program;
let peer: Server;
let other: Server;
let loopbackV6: Server;
let url = '';
let otherUrl = '';
const reached: string[] = [];
let connectionsV6 = 0;
/** Documents by path; anything else is what its behaviour says. */
const documents = new Map<string, string>();
let numbered = 0;

before(async () => {
  peer = createServer(serve).listen(0, '127.0.0.1');
  other = createServer(serve).listen(0, '127.0.0.2');
  loopbackV6 = createServer(serve).listen(0, '::1');
  loopbackV6.on('connection', () => {
    connectionsV6 += 1;
  });
  url = `http://127.0.0.1:${await listeningPort(peer)}`;
  otherUrl = `http://127.0.0.2:${await listeningPort(other)}`;
  program = await startProgram({
    mode: 'dev',
    environment: {
      CHANCERY_OUTBOUND_ALLOW_HTTP: 'true',
      CHANCERY_OUTBOUND_ALLOW_NETWORKS: '127.0.0.0/8',
      CHANCERY_OUTBOUND_PORTS: 'any',
      CHANCERY_OUTBOUND_TIMEOUT: '2',
    },
  });
  production = await startProgram();
});

after(async () => {
  for (const server of [peer, other, loopbackV6]) {
    server.closeAllConnections();
    server.close();
  }
  await Promise.all([program.stop(), production.stop()]);
});

function serve(request: IncomingMessage, response: ServerResponse): void {
  const path = request.url ?? '';
  reached.push(path);
  const document = documents.get(path);
  const behaviour = BEHAVIOURS[path.split('?', 1)[0] ?? ''];
  if (document !== undefined) response.writeHead(200, TYPE).end(document);
  else if (behaviour !== undefined) behaviour(response, request);
  else response.writeHead(404).end();
}

const redirecting =
  (status: number): Behaviour =>
  (response) => {
    response.writeHead(status, { location: '/reached' }).end();
  };

const BEHAVIOURS: Readonly<Record<string, Behaviour>> = {
  ...Object.fromEntries([301, 302, 303, 307, 308].map((status) => [`/${status}`, redirecting(status)])),
  '/large': (response) => {
    response.writeHead(200, TYPE);
    for (let sent = 0; sent < 10; sent += 1) response.write('a'.repeat(MEGABYTE));
    response.end();
  },
  '/bomb': (response) => {
    const body = gzipSync('a'.repeat(20 * MEGABYTE));
    response.writeHead(200, { ...TYPE, 'content-encoding': 'gzip' }).end(body);
  },
  '/page': (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
  '/silent': () => undefined,
  '/drips': (response) => {
    response.writeHead(200, TYPE);
    const drip = setInterval(() => response.write('a'), 100);
    response.on('close', () => clearInterval(drip));
  },
  '/cut': (response) => {
    response.writeHead(200, { ...TYPE, 'content-length': '1000' });
    response.write('a', () => response.destroy());
  },
};

async function registered(at: Program, request_uris: readonly string[]): Promise<string> {
  const answer = await fetch(`${at.url}/register`, {
    method: 'POST',
    headers: { authorization: `Bearer ${at.masterToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ redirect_uris: [CALLBACK], jwks: { keys: [KEY.jwk] }, request_uris }),
  });
  const information = (await answer.json()) as { client_id: string; request_uris: unknown };
  assert.equal(answer.status, 201, JSON.stringify(information));
  assert.deepEqual(information.request_uris, request_uris, 'registering works whether it is on or off');
  return information.client_id;
}

const claimsOf = (at: Program, client_id: string, change: object = {}): object => ({
  iss: client_id,
  aud: at.issuer,
  exp: Math.floor(Date.now() / 1000) + 60,
  client_id,
  response_type: 'code',
  redirect_uri: CALLBACK,
  scope: 'openid',
  state: 'state of the object',
  ...change,
});

interface Outcome {
  /** `page` where the end-user signs in, otherwise the error at the client. */
  readonly outcome: string;
  readonly state: string | undefined;
}

async function ask(at: Program, client_id: string, request_uri: string): Promise<Outcome> {
  const plain = { response_type: 'code', redirect_uri: CALLBACK, state: 'plain' };
  const query = new URLSearchParams({ client_id, request_uri, ...plain });
  const answer = await fetch(`${at.url}/authorize?${query.toString()}`, { redirect: 'manual' });
  const page = await answer.text();
  assert.equal(answer.status, 303, page);
  const location = new URL(answer.headers.get('location') ?? '');
  if (location.pathname.includes('/interaction/')) return { outcome: 'page', state: undefined };
  assert.ok(location.href.startsWith(`${CALLBACK}?`), location.href);
  const { error, state } = Object.fromEntries(location.searchParams);
  return { outcome: error ?? 'none', state };
}

/** A client with a new address, at which nothing is published yet. */
async function aClient(
  base = url,
): Promise<{ readonly client_id: string; readonly path: string; readonly uri: string }> {
  numbered += 1;
  const path = `/object-${numbered}`;
  const uri = `${base}${path}`;
  return { client_id: await registered(program, [uri]), path, uri };
}

const signed = (client_id: string, change: object = {}): string =>
  signedJwt(KEY, claimsOf(program, client_id, change), { typ: 'oauth-authz-req+jwt' });

// proves rfc9101-5.2-1, openid-core-6.2-1
test('oidcc-request-uri-signed: an object at a registered address leads to the sign-in page, and discovery says so', async () => {
  const { client_id, path, uri } = await aClient();
  documents.set(path, signed(client_id));
  assert.equal((await ask(program, client_id, uri)).outcome, 'page');
  const discovery = await fetch(`${program.url}/.well-known/openid-configuration`);
  const metadata = (await discovery.json()) as Readonly<Record<string, unknown>>;
  assert.equal(metadata['request_uri_parameter_supported'], true);
  assert.equal(metadata['require_request_uri_registration'], true);
});

test('H-370 production: registered, and request_uri_not_supported without a fetch, as discovery says', async () => {
  const client_id = await registered(production, ['https://rp.example/object']);
  const { outcome, state } = await ask(production, client_id, 'https://rp.example/object');
  assert.deepEqual([outcome, state], ['request_uri_not_supported', 'plain']);
  const discovery = await fetch(`${production.url}/.well-known/openid-configuration`);
  const metadata = (await discovery.json()) as Readonly<Record<string, unknown>>;
  assert.equal(metadata['request_uri_parameter_supported'], false);
  assert.equal('require_request_uri_registration' in metadata, false);
});

const internalUrls = async (): Promise<readonly string[]> => [
  `http://[::1]:${await listeningPort(loopbackV6)}/o`,
  'http://169.254.169.254/latest/meta-data/',
  'http://10.0.0.1/o',
  'http://0.0.0.0/o',
  'http://localhost/o',
  'http://metadata.google.internal/o',
];

// proves rfc9101-10.4.1-1
test('H-363 registered addresses of the inside: refused, and no connection (decision 50)', async () => {
  for (const uri of await internalUrls()) {
    const client_id = await registered(program, [uri]);
    assert.match(
      (await ask(program, client_id, uri)).outcome,
      /^(invalid_request_uri|temporarily_unavailable)$/,
    );
  }
  assert.equal(connectionsV6, 0);
});

for (const status of [301, 302, 303, 307, 308]) {
  test(`H-364 an address that redirects with ${status}: invalid_request_uri, and the target is not asked`, async () => {
    const uri = `${url}/${status}`;
    const client_id = await registered(program, [uri]);
    documents.set('/reached', signed(client_id));
    assert.equal((await ask(program, client_id, uri)).outcome, 'invalid_request_uri');
    assert.ok(!reached.includes('/reached'));
  });
}

for (const path of ['/large', '/bomb', '/page', '/silent', '/drips', '/cut', '/nothing']) {
  test(`H-365 ${path}: an error at the registered address within the deadline`, async () => {
    const uri = `${url}${path}`;
    const client_id = await registered(program, [uri]);
    const { outcome, state } = await ask(program, client_id, uri);
    assert.match(outcome, /^(invalid_request_uri|temporarily_unavailable)$/);
    assert.equal(state, 'plain');
  });
}

test('H-366 a document that changes: the version of the fragment counts, and each version is verified', async () => {
  const { client_id, path, uri } = await aClient();
  documents.set(path, signed(client_id));
  assert.equal((await ask(program, client_id, `${uri}#1`)).outcome, 'page');
  documents.set(path, signedJwt(STRANGER, claimsOf(program, client_id)));
  assert.equal((await ask(program, client_id, `${uri}#1`)).outcome, 'page', 'cached');
  assert.equal((await ask(program, client_id, `${uri}#2`)).outcome, 'invalid_request_object');
  documents.set(path, signed(client_id, { prompt: 'none' }));
  assert.deepEqual(await ask(program, client_id, `${uri}#3`), {
    outcome: 'login_required',
    state: 'state of the object',
  });
});

// proves rfc9101-10.4.1-1
test('H-367 the request_uri of another client, and addresses that are nearly registered: invalid_request_uri without a fetch', async () => {
  const { client_id, path, uri } = await aClient();
  const { client_id: another } = await aClient();
  documents.set(path, signed(another));
  for (const [asking, at] of [
    [another, uri],
    [client_id, `${uri}?x`],
    [client_id, `${uri}/`],
    [client_id, uri.replace('127.0.0.1', '127.0.0.2')],
    [client_id, 'file:///etc/passwd'],
    [client_id, 'urn:x'],
    [client_id, `${uri}${'a'.repeat(5000)}`],
  ] as const) {
    assert.equal((await ask(program, asking, at)).outcome, 'invalid_request_uri', at.slice(0, 80));
  }
  assert.ok(!reached.some((each) => each.startsWith(path)));
});

const OBJECTS: Readonly<Record<string, (client_id: string) => string>> = {
  unsigned: (client_id) =>
    `${segment('{"alg":"none"}')}.${segment(JSON.stringify(claimsOf(program, client_id)))}.`,
  'signed by a stranger': (client_id) => signedJwt(STRANGER, claimsOf(program, client_id)),
  'of another client': (client_id) => signed(client_id, { iss: 'another' }),
  'with another client_id': (client_id) => signed(client_id, { client_id: 'another' }),
  'with a request_uri inside': (client_id) => signed(client_id, { request_uri: `${url}/reached` }),
  'with a request inside': (client_id) => signed(client_id, { request: 'a.b.c' }),
  'for another server': (client_id) => signed(client_id, { aud: 'https://other.example' }),
  'that has expired': (client_id) => signed(client_id, { exp: 1 }),
  'of null bytes': () => '\0'.repeat(1000),
};

for (const [what, make] of Object.entries(OBJECTS)) {
  // proves openid-core-6.2-1
  test(`H-368 an object ${what}: invalid_request_object (RFC 9101 §6.2, §6.3)`, async () => {
    const { client_id, path, uri } = await aClient();
    documents.set(path, make(client_id));
    assert.equal((await ask(program, client_id, uri)).outcome, 'invalid_request_object');
    assert.ok(!reached.includes('/reached'));
  });
}

test('H-369 a flood of requests whose objects never arrive: each is answered, and another client is served meanwhile (decision 50)', async () => {
  const uris = Array.from({ length: PARALLEL }, (_, at) => `${url}/silent?${at}`);
  const flooding = await Promise.all(
    [uris.slice(0, 20), uris.slice(20, 40), uris.slice(40)].map(
      async (own) => await registered(program, own),
    ),
  );
  const flood = uris.map(async (uri, at) => await ask(program, flooding[Math.floor(at / 20)] ?? '', uri));
  const { client_id, path, uri } = await aClient(otherUrl);
  documents.set(path, signed(client_id));
  assert.equal((await ask(program, client_id, uri)).outcome, 'page');
  const { token_endpoint } = (await (
    await fetch(`${program.url}/.well-known/openid-configuration`)
  ).json()) as { token_endpoint: string };
  assert.ok(token_endpoint.startsWith(program.issuer));
  for (const { outcome } of await Promise.all(flood))
    assert.match(outcome, /^(invalid_request_uri|temporarily_unavailable)$/);
  assert.equal((await fetch(`${program.managementUrl}/health/ready`)).status, 200);
});
