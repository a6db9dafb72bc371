import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import { after, test } from 'node:test';
import { signedJwt, testKey } from '../../src/testing/jwt.ts';
import { listeningPort } from '../../src/testing/listening-port.ts';
import { type Answer, attackedProgram } from './attacked-program.ts';
import { type AssertingClient, KEY, registerAsserting, tokenRequest } from './client-assertions.ts';
import { testInvariantsAtTheEnd } from './closing-tests.ts';

const OTHER = testKey('ES256', 'other');
const fetches: string[] = [];
const keySet = (...keys: readonly object[]): string => JSON.stringify({ keys });
const DOCUMENTS: Record<string, string> = {
  '/good': keySet(KEY.jwk),
  '/other': keySet(OTHER.jwk),
  '/same-kid': keySet({ ...OTHER.jwk, kid: KEY.kid }),
  '/empty': keySet(),
  '/private': keySet({ ...KEY.privateKey.export({ format: 'jwk' }), kid: KEY.kid }),
  '/text': 'hello',
  '/large': keySet(KEY.jwk, { kty: 'x', filler: 'x'.repeat(70_000) }),
};

const publish: RequestListener = ({ url = '' }, response) => {
  fetches.push(url);
  if (url.startsWith('/hangs')) return;
  response.writeHead(url in DOCUMENTS ? 200 : 500, { 'content-type': 'application/json' });
  response.end(DOCUMENTS[url] ?? '{}');
};
const peer = createServer(publish).listen(0, '127.0.0.1');
const origin = `http://127.0.0.1:${await listeningPort(peer)}`;
after(() => {
  peer.close();
  peer.closeAllConnections();
});

/** H-151, H-152: hostile documents at a client's `jwks_uri`. */
const attacked = attackedProgram({
  mode: 'dev',
  environment: {
    CHANCERY_OUTBOUND_ALLOW_HTTP: 'true',
    CHANCERY_OUTBOUND_ALLOW_NETWORKS: '127.0.0.0/8',
    CHANCERY_OUTBOUND_PORTS: 'any',
  },
});

async function clientAt(path: string): Promise<AssertingClient> {
  const jwks_uri = origin + path;
  return await registerAsserting(attacked, 'private_key_jwt', { jwks: undefined, jwks_uri });
}

const fetchesOf = (path: string): number => fetches.filter((fetched) => fetched === path).length;

const ask = async (assertion: string): Promise<Answer> => await attacked.send(tokenRequest(assertion));

function assertInvalidClient(answer: Answer): void {
  assert.equal(answer.status, 401, answer.body);
  assert.equal(answer.json['error'], 'invalid_client');
}

test('H-151 a thousand made-up kids: one fetch more, and neither this client nor another is slowed', async () => {
  const [client, another] = [await clientAt('/good'), await registerAsserting(attacked, 'private_key_jwt')];
  assert.equal((await ask(client.assert())).status, 200);
  assert.equal(fetchesOf('/good'), 1);
  for (let round = 0; round < 20; round += 1) {
    const requests = Array.from({ length: 50 }, (_, index) =>
      tokenRequest(client.assert({}, { kid: `made-up-${round}-${index}` })),
    );
    for (const answer of await attacked.sendAtOnce(requests)) assertInvalidClient(answer);
  }
  assert.equal(fetchesOf('/good'), 2);
  for (const each of [client, another]) assert.equal((await ask(each.assert())).status, 200);
  assert.equal(fetchesOf('/good'), 2, 'no request waited for a fetch');
});

function assertUnavailable(answer: Answer): void {
  assert.equal(answer.status, 503, answer.body);
  assert.equal(answer.json['error'], 'temporarily_unavailable');
  assert.ok(Number(answer.headers['retry-after']) >= 1);
}

test('H-152 a key set that hangs: 503 with Retry-After within the deadline (decision 50), a hundred at once share one fetch, and others go on', async () => {
  const [client, another] = [await clientAt('/hangs'), await registerAsserting(attacked, 'private_key_jwt')];
  let hang = true;
  const hanging = attacked.sendAtOnce(Array.from({ length: 100 }, () => tokenRequest(client.assert())));
  const ended = hanging.finally(() => (hang = false));
  assert.equal((await ask(another.assert())).status, 200);
  assert.ok(hang, 'the other client was answered while they hung');
  for (const answer of await ended) assertUnavailable(answer);
  assert.equal(fetchesOf('/hangs'), 1);
  assertUnavailable(await ask(client.assert()));
  assert.equal(fetchesOf('/hangs'), 1, 'a failure is remembered');
});

for (const path of ['/other', '/same-kid', '/empty', '/private', '/text', '/large']) {
  test(`H-152 a key set that does not hold the client’s key: ${path}: 401`, async () => {
    const client = await clientAt(path);
    assertInvalidClient(await ask(client.assert()));
    assertInvalidClient(await ask(client.assert({}, { kid: undefined })));
    assert.ok(fetchesOf(path) >= 1);
  });
}

test('H-152 a key set whose server answers 500: 503 with Retry-After (decision 50)', async () => {
  const client = await clientAt('/nothing');
  assertUnavailable(await ask(client.assert()));
  assertUnavailable(await ask(client.assert()));
  assert.equal(fetchesOf('/nothing'), 1, 'a failure is remembered');
});

test('H-152 a key set that shrinks: a key that is gone is refused once the set is read again, the one that stays is good', async () => {
  DOCUMENTS['/shrinks'] = keySet(KEY.jwk, OTHER.jwk);
  const client = await clientAt('/shrinks');
  const byOther = (): string => {
    const [, claims = ''] = client.assert().split('.');
    return signedJwt(OTHER, Buffer.from(claims, 'base64url'));
  };
  assert.equal((await ask(client.assert())).status, 200);
  assert.equal((await ask(byOther())).status, 200);
  DOCUMENTS['/shrinks'] = keySet(KEY.jwk);
  assertInvalidClient(await ask(client.assert({}, { kid: 'makes it read the set again' })));
  assertInvalidClient(await ask(byOther()));
  assert.equal((await ask(client.assert())).status, 200);
  assert.equal(fetchesOf('/shrinks'), 2);
});

testInvariantsAtTheEnd(attacked);
