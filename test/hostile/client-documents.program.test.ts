import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:net';
import { after, before, test } from 'node:test';
import { listeningPort } from '../../src/testing/listening-port.ts';
import { addTenant } from '../../src/testing/storage/add-tenant.ts';
import { codeRequest } from '../program/code-request.ts';
import { openProgramStorage } from '../program/storage-place.ts';
import { type Answer, attackedProgram } from './attacked-program.ts';
import { testInvariantsAtTheEnd } from './closing-tests.ts';
import {
  BAD,
  type Behaviour,
  type DocumentServer,
  GOOD,
  MUTE,
  publishing,
  startDocumentServer,
} from './document-host.ts';
import { getClient } from './registry.ts';
import {
  accountsBeside,
  answered,
  browserAt,
  CALLBACK,
  call,
  type Registered,
  redeem,
  through,
} from './sign-in-world.ts';

/** H-400 to H-413: URLs as client_id, whose documents come from a server on loopback. */
const ADA = { username: 'ada', password: 'correct horse canary' };
const RIVAL = '/rival';
const ON = {
  CHANCERY_REGISTRATION_CLIENT_ID_METADATA_DOCUMENTS: 'true',
  CHANCERY_CLIENT_DOCUMENT_RATE_PER_NETWORK: '0',
  CHANCERY_CLIENT_DOCUMENT_RATE: '0',
  CHANCERY_OUTBOUND_PORTS: 'any',
};
const attacked = attackedProgram(
  {
    mode: 'dev',
    environment: {
      ...ON,
      CHANCERY_OUTBOUND_ALLOW_HTTP: 'true',
      CHANCERY_OUTBOUND_ALLOW_NETWORKS: '127.0.0.0/8',
      // A busy machine must not make an honest document look slow.
      CHANCERY_OUTBOUND_TIMEOUT: '3',
      CHANCERY_OUTBOUND_FETCHES_PER_HOST: '64',
      CHANCERY_OUTBOUND_FETCHES_PER_ADDRESS: '64',
      CHANCERY_CLIENT_DOCUMENT_DENIED_HOSTS: '127.0.0.66,*.denied.localhost',
    },
  },
  async ({ program, secrets }) => {
    const accounts = await accountsBeside(program);
    await accounts.add(ADA);
    await accounts.close();
    secrets.add(ADA.password);
    const storage = await openProgramStorage(program.folder);
    await addTenant(storage, { id: 'rival', issuer: `${program.issuer}${RIVAL}`, settings: {} });
    await storage.close();
  },
);
/** With the default networks: no document on this machine. */
const closed = attackedProgram({ environment: ON });

const OWN: Readonly<Record<string, Behaviour>> = {
  reached: publishing(),
  markup: publishing({ client_name: '<script>alert(1)</script>{{6007*6011}}' }),
};

let peer: DocumentServer;
let canary: Server;
let canaryPort = 0;
let connections = 0;

before(async () => {
  const bad = Object.fromEntries(Object.entries(BAD).map(([name, [, behaviour]]) => [name, behaviour]));
  peer = await startDocumentServer({ ...GOOD, ...MUTE, ...bad, ...OWN });
  canary = createServer((socket) => {
    connections += 1;
    socket.on('error', () => undefined).end();
  }).listen(0, '::');
  canaryPort = await listeningPort(canary);
});

after(() => {
  peer.close();
  canary.close();
});

const documentUrl = (name: string, host = '127.0.0.1'): string =>
  `http://${host}:${peer.port}/${encodeURIComponent(name)}`;

const asClient = (client_id: string): Registered => ({ client_id }) as Registered;

/** The answer of /authorize to a request of this client. */
async function asked(client_id: string, at = attacked): Promise<Answer> {
  const { issuer } = at.program;
  const url = codeRequest(issuer, { client_id, redirect_uri: CALLBACK });
  return await at.send({ method: 'GET', path: url.slice(new URL(issuer).origin.length) });
}

/** The status of the page that a request of this client leads to, in a browser of its own. */
async function shown(client_id: string): Promise<number> {
  const { issuer } = attacked.program;
  const browser = browserAt(attacked.program);
  return (await browser.open(codeRequest(issuer, { client_id, redirect_uri: CALLBACK }))).status;
}

const signIn = async (client_id: string) =>
  await through(
    browserAt(attacked.program),
    codeRequest(attacked.program.issuer, { client_id, redirect_uri: CALLBACK }),
    ADA,
  );

for (const name of Object.keys(GOOD)) {
  // proves client-id-metadata-document-4-1, client-id-metadata-document-5-1
  test(`H-408 a document ${name}: its client signs its end-user in, refreshes, and is stored within the bounds of its lifetime`, async () => {
    const client_id = documentUrl(name);
    const as = asClient(client_id);
    const { code } = answered(await signIn(client_id));
    const granted = await redeem(attacked.program, as, code);
    assert.equal(granted.status, 200, JSON.stringify(granted.json));
    const refresh_token = String(granted.json['refresh_token']);
    const refreshed = await call(attacked.program, '/token', as, {
      grant_type: 'refresh_token',
      refresh_token,
    });
    assert.equal(refreshed.status, 200);
    const { json } = await attacked.send(getClient(client_id, attacked.program.masterToken));
    const { fetched_at, fresh_until } = json['chancery_metadata_document'] as Readonly<
      Record<string, number>
    >;
    const lifetime = Number(fresh_until) - Number(fetched_at);
    assert.ok(lifetime >= 300 && lifetime <= 86_400, String(lifetime));
    assert.equal(peer.asked.filter((one) => one === name).length, 1);
  });
}

for (const [name, [row]] of Object.entries(BAD)) {
  // proves client-id-metadata-document-3-2, client-id-metadata-document-5-2, client-id-metadata-document-5.1-1, client-id-metadata-document-8.7-1
  test(`${row} a document ${name}: a page with 400, and the document is asked for once`, async () => {
    const answer = await asked(documentUrl(name));
    assert.equal(answer.status, 400, answer.body);
    assert.equal(answer.headers['location'], undefined);
    const pushed = await call(attacked.program, '/par', asClient(documentUrl(name)), {
      response_type: 'code',
      redirect_uri: CALLBACK,
    });
    assert.deepEqual([pushed.status, pushed.json['error']], [401, 'invalid_client']);
    assert.equal(peer.asked.filter((one) => one === name).length, 1);
    assert.ok(!peer.asked.includes('reached'), 'a redirect was followed');
  });
}

for (const name of Object.keys(MUTE)) {
  test(`H-404 a document ${name}: 503 with Retry-After, and other clients are served meanwhile`, async () => {
    const [answer, other] = await Promise.all([
      asked(documentUrl(name)),
      shown(documentUrl('plain', '127.0.0.2')),
    ]);
    assert.equal(answer.status, 503, answer.body);
    assert.ok(Number(answer.headers['retry-after']) >= 1);
    assert.equal(other, 200);
  });
}

// proves client-id-metadata-document-3-1
test('H-400 a client_id that is no Client Identifier URL: 400, and no connection', async () => {
  const seen = peer.asked.length;
  const at = `127.0.0.1:${peer.port}`;
  for (const client_id of [
    `http://${at}`,
    `http://${at}?plain`,
    `http://${at}/plain#`,
    `http://${at}/plain#plain`,
    `http://ada@${at}/plain`,
    `http://ada:secret@${at}/plain`,
    `http://${at}/a/../plain`,
    `http://${at}/./plain`,
    `http://${at}/a/%2e%2E/plain`,
    `http://127.1:${peer.port}/plain`,
    `http://２127.0.0.1:${peer.port}/plain`,
    `http://bücher.localhost:${peer.port}/plain`,
    `http://${at}/${'a'.repeat(500)}`,
    `ftp://${at}/plain`,
    'https://',
    'https:/plain',
  ])
    assert.equal((await asked(client_id)).status, 400, client_id);
  assert.equal(peer.asked.length, seen);
});

test('H-405 a denied host, and hosts below a denied name: 400 without a connection; names that only end like one are accepted', async () => {
  const seen = peer.asked.length;
  for (const host of ['127.0.0.66', 'a.denied.localhost', 'b.a.denied.localhost'])
    assert.equal((await asked(documentUrl('plain', host))).status, 400, host);
  assert.equal(peer.asked.length, seen);
  for (const host of ['denied.localhost', 'notdenied.localhost'])
    assert.equal(await shown(documentUrl('plain', host)), 200, host);
});

// proves client-id-metadata-document-8.6-1
test('H-406 a document on this machine, in the networks inside, or at this server: 400, and no connection', async () => {
  for (const host of [
    '127.0.0.1',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '0.0.0.0',
    '10.0.0.1',
    '169.254.169.254',
    'localhost',
    'a.localhost',
    'metadata.google.internal',
    'intranet',
  ])
    for (const scheme of ['https', 'http'])
      assert.equal((await asked(`${scheme}://${host}:${canaryPort}/c`, closed)).status, 400, host);
  assert.equal((await asked(`${closed.program.issuer}/c`, closed)).status, 400);
  assert.equal((await asked(`${attacked.program.issuer}/jwks.json`)).status, 400, 'from itself');
  assert.equal(connections, 0);
});

test('H-411 three hundred documents without a consent: no client and no audit event is stored', async () => {
  const before = await attacked.list();
  const stored = await attacked.stored();
  for (let start = 0; start < 300; start += 10) {
    const statuses = await Promise.all(
      Array.from({ length: 10 }, async (_, index) => {
        const name = `plain?${start + index}`;
        return await shown(`http://127.0.0.3:${peer.port}/${name}`);
      }),
    );
    assert.deepEqual(new Set(statuses), new Set([200]));
  }
  assert.deepEqual(await attacked.list(), before);
  assert.deepEqual(await attacked.stored(), stored);
});

test('H-412 a document client of one tenant is unknown at another, and its refresh token worthless there', async () => {
  const client_id = documentUrl('plain', '127.0.0.4');
  const { code } = answered(await signIn(client_id));
  const { json } = await redeem(attacked.program, asClient(client_id), code);
  const rival = { ...attacked.program, url: `${attacked.program.url}${RIVAL}` };
  const refresh_token = String(json['refresh_token']);
  const refused = await call(rival, '/token', asClient(client_id), {
    grant_type: 'refresh_token',
    refresh_token,
  });
  assert.deepEqual([refused.status, refused.json['error']], [401, 'invalid_client']);
  const path = new URL(
    codeRequest(`${attacked.program.issuer}${RIVAL}`, { client_id, redirect_uri: CALLBACK }),
  );
  assert.equal((await attacked.send({ method: 'GET', path: path.pathname + path.search })).status, 400);
});

// proves client-id-metadata-document-8.4-1
test('H-413 a document with markup as its name, on a host that looks like another one: the page shows the host in punycode', async () => {
  const client_id = documentUrl('markup', 'xn--pple-43d.localhost');
  const browser = browserAt(attacked.program);
  const url = codeRequest(attacked.program.issuer, { client_id, redirect_uri: CALLBACK });
  const signInPage = await browser.open(url);
  const consentPage = await browser.submit(signInPage, 'sign-in', { ...ADA });
  for (const { html } of [signInPage, consentPage]) {
    assert.match(html, /<strong class="host">xn--pple-43d\.localhost<\/strong>/);
    assert.doesNotMatch(html, /<script>alert|36084077/);
  }
  assert.match(consentPage.html, /has not been verified/);
});

// proves client-id-metadata-document-4.2-1
test('a redirection URI that the document does not have: 400, no redirection', async () => {
  const { issuer } = attacked.program;
  const client_id = documentUrl('plain', '127.0.0.5');
  for (const redirect_uri of [
    `${CALLBACK}/`,
    `${CALLBACK}?x`,
    CALLBACK.toUpperCase(),
    'https://evil.example/cb',
  ]) {
    const { pathname, search } = new URL(codeRequest(issuer, { client_id, redirect_uri }));
    const answer = await attacked.send({ method: 'GET', path: pathname + search });
    assert.equal(answer.status, 400);
    assert.equal(answer.headers['location'], undefined);
  }
});

testInvariantsAtTheEnd(attacked);
