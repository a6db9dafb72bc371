import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { listeningPort } from '../../src/testing/listening-port.ts';
import { type Answer, attackedProgram } from './attacked-program.ts';
import { assertAnswer, getClient, PLAIN, postClient, putClient, register } from './registry.ts';

/** H-046…H-048 and H-085: documents of sector identifiers, fetched by the started program from a server on loopback. */
const REDIRECT_URIS = ['https://rp.example.com/cb', 'https://rp2.example.com/cb'];
const LISTED = JSON.stringify([...REDIRECT_URIS, 'https://rp3.example.com/cb']);
const MEGABYTE = 1_048_576;

const attacked = attackedProgram({
  mode: 'dev',
  environment: {
    CHANCERY_OUTBOUND_ALLOW_HTTP: 'true',
    CHANCERY_OUTBOUND_ALLOW_NETWORKS: '127.0.0.0/8',
    CHANCERY_OUTBOUND_PORTS: 'any',
    CHANCERY_OUTBOUND_TIMEOUT: '1',
  },
});

type Behaviour = (response: ServerResponse, request: IncomingMessage) => void;

const answering =
  (body: string | Uint8Array, headers: Readonly<Record<string, string>> = {}, status = 200): Behaviour =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
  };
const redirecting =
  (status: number, location: string): Behaviour =>
  (response) =>
    answering('', { location }, status)(response, response.req);

const GOOD: Readonly<Record<string, Behaviour>> = {
  'lists every redirection URI and more': answering(LISTED),
  'has a parameter in its media type': answering(LISTED, {
    'content-type': 'application/json; charset=utf-8',
  }),
  'comes in pieces': (response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    for (const character of LISTED) response.write(character);
    response.end();
  },
};

const BAD: Readonly<Record<string, Behaviour>> = {
  'misses a redirection URI': answering(JSON.stringify(REDIRECT_URIS.slice(1))),
  'lists a redirection URI in another case': answering(LISTED.replace('rp.example', 'RP.example')),
  'is empty': answering(''),
  'is an empty array': answering('[]'),
  'is an object': answering(JSON.stringify({ redirect_uris: REDIRECT_URIS })),
  'has numbers beside the redirection URIs': answering(JSON.stringify([...REDIRECT_URIS, 1])),
  'holds the array in an array': answering(`[${LISTED}]`),
  'is a string': answering(JSON.stringify(REDIRECT_URIS.join(' '))),
  'is no JSON': answering(`${LISTED}x`),
  'is no UTF-8': answering(
    Buffer.concat([Buffer.from(LISTED.slice(0, -2)), Buffer.from([0xff, 0x22, 0x5d])]),
  ),
  'nests ten thousand arrays': answering('['.repeat(10_000) + ']'.repeat(10_000)),
  'nests thirty thousand arrays without an end': answering('['.repeat(30_000)),
  'has 10 MB': answering(`${LISTED}${' '.repeat(10 * MEGABYTE)}`),
  'has 10 MB without an announced length': (response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write(LISTED);
    for (let sent = 0; sent < 10; sent += 1) response.write(' '.repeat(MEGABYTE));
    response.end();
  },
  'is compressed': answering(gzipSync(LISTED), { 'content-encoding': 'gzip' }),
  'is a bomb': answering(gzipSync(' '.repeat(20 * MEGABYTE)), { 'content-encoding': 'gzip' }),
  'is of another type': answering(LISTED, { 'content-type': 'text/html' }),
  'is not found': answering(LISTED, {}, 404),
  'is 204': answering('', {}, 204),
  'is 206': answering(LISTED, {}, 206),
  'is 500': answering(LISTED, {}, 500),
  'is cut off': (response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
    response.write(LISTED, () => response.destroy());
  },
  'never begins': () => undefined,
  drips: (response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const drip = setInterval(() => response.write(' '), 100);
    response.on('close', () => clearInterval(drip));
  },
  ...Object.fromEntries(
    [301, 302, 303, 307, 308].map((status) => [`is ${status}`, redirecting(status, '/reached')]),
  ),
  'redirects to itself': redirecting(302, '#'),
  'redirects to a file': redirecting(302, 'file:///etc/passwd'),
};

const BEHAVIOURS: Readonly<Record<string, Behaviour>> = {
  ...GOOD,
  ...BAD,
  '/reached': answering(LISTED),
};

let peer: Server;
let url = '';
let asked = 0;
const reached: string[] = [];
let changing = LISTED;

before(async () => {
  peer = createServer((request, response) => {
    const name = decodeURIComponent(request.url?.slice(1).replace(/\?.*$/, '') ?? '');
    reached.push(name);
    if (name === 'changes') return answering(changing)(response, request);
    (BEHAVIOURS[name] ?? answering('', {}, 404))(response, request);
  }).listen(0, '127.0.0.1');
  const port = await listeningPort(peer);
  url = `http://127.0.0.1:${port}`;
});

after(() => {
  peer.closeAllConnections();
  peer.close();
});

/** Each fetch has an address of its own: one that failed is not tried again at once. */
function inSector(document: string): object {
  asked += 1;
  const sector_identifier_uri = `${url}/${encodeURIComponent(document)}?${asked}`;
  return { ...PLAIN, redirect_uris: REDIRECT_URIS, subject_type: 'pairwise', sector_identifier_uri };
}

/** By POST, and by PUT of a client that had no sector. */
async function answersTo(document: string): Promise<readonly Answer[]> {
  const client = await register(attacked);
  const { masterToken } = attacked.program;
  return [
    await attacked.send(postClient(inSector(document), masterToken)),
    await attacked.send(putClient(client.client_id, inSector(document), client.registration_access_token)),
  ];
}

for (const name of Object.keys(GOOD)) {
  test(`H-085 a document that ${name} is taken, by POST and PUT (OpenID Connect Dynamic Client Registration 1.0 §5)`, async () => {
    for (const answer of await answersTo(name)) assertAnswer(answer, 'registered');
    assert.equal(reached.filter((one) => one === name).length, 2);
  });
}

for (const name of Object.keys(BAD)) {
  test(`H-046…H-048, H-085 a document that ${name}: 400, by POST and PUT (OpenID Connect Dynamic Client Registration 1.0 §5)`, async () => {
    for (const answer of await answersTo(name)) assertAnswer(answer, 'invalid_client_metadata');
    assert.equal(reached.filter((one) => one === name).length, 2, 'asked once for each');
    assert.ok(!reached.includes('reached'), 'a redirect was followed');
  });
}

test('H-085 a document that changes after the registration: the client stays, an update is held to the new one', async () => {
  const metadata = inSector('changes');
  const { masterToken } = attacked.program;
  const answer = await attacked.send(postClient(metadata, masterToken));
  assertAnswer(answer, 'registered');
  const id = String(answer.json['client_id']);
  changing = JSON.stringify(REDIRECT_URIS.slice(1));
  assertAnswer(await attacked.send(putClient(id, metadata, masterToken)), 'invalid_client_metadata');
  assert.equal((await attacked.send(getClient(id, masterToken))).body, answer.body);
});

test('I3: no document held the event loop for long', async (context) => {
  const lag = await attacked.metric('nodejs_eventloop_lag_max_seconds');
  context.diagnostic(`event-loop delay: ${lag} s`);
  assert.ok(lag < 1.5, `${lag} s`);
});
