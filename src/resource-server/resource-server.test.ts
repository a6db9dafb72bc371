import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { calculateJwkThumbprint } from 'jose';
import {
  API,
  aToken,
  athOf,
  FollowedServer,
  ISSUER,
  KEY,
  nowSeconds,
  OTHER_KEY,
  YOUNG,
} from '../testing/followed-server.ts';
import { signedJwt, type TestKey, testKey } from '../testing/jwt.ts';
import { type ResourceServer, type ResourceServerOptions, resourceServer } from './resource-server.ts';

const open = new Set<ResourceServer>();
after(() => {
  for (const each of open) each.close();
});

function world(options: Partial<ResourceServerOptions> = {}, server = new FollowedServer()) {
  const problems: string[] = [];
  const api = resourceServer({
    issuer: ISSUER,
    audience: API,
    credentials: { client_id: 'api', client_secret: 'secret:of the/api' },
    fetch: server.fetch,
    report: (problem) => problems.push(problem),
    ...options,
  });
  open.add(api);
  return { server, api, problems };
}

async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await sleep(5);
}

async function live(options: Partial<ResourceServerOptions> = {}) {
  const made = world(options);
  await until(() => made.api.isLive());
  return made;
}

const statusOf = async (api: ResourceServer, token: string, scope?: string): Promise<number> => {
  const request = { method: 'GET', url: '/orders', authorization: `Bearer ${token}` };
  const outcome = await api.check(request, scope === undefined ? {} : { scope });
  return 'token' in outcome ? 200 : outcome.refusal.status;
};

test('a JWT that is younger than the feed is verified without a question to the server, until the feed tells its end', async () => {
  const { server, api } = await live();
  const [token, kept] = [aToken(), aToken()];
  for (let time = 0; time < 3; time += 1) assert.equal(await statusOf(api, token), 200);
  server.tell([{ type: 'token-ended', ath: athOf(token), exp: nowSeconds() + 600 }], {});
  await until(async () => (await statusOf(api, token)) === 401);
  assert.equal(await statusOf(api, kept), 200);
  assert.deepEqual(server.asked, []);
});

test('a JWT that is older than the feed is introspected once, and an ended one is refused from then on', async () => {
  const { server, api } = await live();
  const [old, ended] = [aToken({ iat: nowSeconds() - 100 }), aToken({ iat: nowSeconds() - 99 })];
  server.ended.add(ended);
  for (let time = 0; time < 3; time += 1) {
    assert.equal(await statusOf(api, old), 200);
    assert.equal(await statusOf(api, ended), 401);
  }
  assert.deepEqual(server.asked, [old, ended]);
});

/** The order of the group of P-256 (FIPS 186-5): with (r, s), the signature (r, n − s) is valid too. */
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

/** The same JWT in other texts: anyone who has it can write them, without a key. */
const WRITINGS: Readonly<Record<string, (token: string) => string>> = {
  'with the other signature of ECDSA': (token) => {
    const [header, payload, signature = ''] = token.split('.');
    const hex = Buffer.from(signature, 'base64url').toString('hex');
    const other = (ORDER - BigInt(`0x${hex.slice(64)}`)).toString(16).padStart(64, '0');
    return [header, payload, Buffer.from(hex.slice(0, 64) + other, 'hex').toString('base64url')].join('.');
  },
  'with bits after the signature': (token) =>
    token.slice(0, -1) + ({ A: 'B', Q: 'R', g: 'h', w: 'x' }[token.slice(-1)] ?? assert.fail(token)),
};

for (const [name, rewrite] of Object.entries(WRITINGS)) {
  test(`H-720 an ended JWT is refused ${name} too, whether that text came before its end or after`, async () => {
    const { server, api } = await live();
    const [early, late] = [aToken(), aToken()];
    await statusOf(api, rewrite(early));
    const exp = nowSeconds() + 600;
    server.tell(
      [early, late].map((token) => ({ type: 'token-ended', ath: athOf(token), exp })),
      {},
    );
    await until(async () => (await statusOf(api, late)) === 401);
    assert.deepEqual([await statusOf(api, rewrite(early)), await statusOf(api, rewrite(late))], [401, 401]);
  });
}

test('H-721 pieces that say that more follows do not make the feed count as followed', async () => {
  const server = new FollowedServer();
  server.first = { more: true };
  const { api } = world({}, server);
  const ended = aToken();
  await until(() => server.opened > 0);
  // The server calls the token active if it is asked, so a refusal means that this piece was learned.
  server.tell([{ type: 'token-ended', ath: athOf(ended), exp: nowSeconds() + 600 }], { more: true });
  await until(async () => (await statusOf(api, ended)) === 401);
  assert.equal(api.isLive(), false);
  server.tell([{ type: 'client-changed', client_id: 'y' }], {});
  await until(() => api.isLive());
});

test('an opaque token is introspected once while the feed is followed; its end is known without a question', async () => {
  const { server, api } = await live();
  const facts = { aud: API, client_id: 'app', sub: 'alice', scope: 'read', exp: nowSeconds() + 600 };
  server.opaque.set('opaque', { ...facts, iat: nowSeconds() });
  for (let time = 0; time < 3; time += 1) assert.equal(await statusOf(api, 'opaque'), 200);
  assert.deepEqual(server.asked, ['opaque']);
  server.tell([{ type: 'token-ended', ath: athOf('opaque') }], {});
  await until(async () => (await statusOf(api, 'opaque')) === 401);
  assert.deepEqual(server.asked, ['opaque']);
});

test('a deleted client: its tokens are asked about again, those of others are not; a later client with its id is accepted', async () => {
  const { server, api } = await live();
  const [gone, other] = [aToken({ client_id: 'gone' }), aToken()];
  for (const token of [gone, other]) assert.equal(await statusOf(api, token), 200);
  server.ended.add(gone);
  server.tell([{ type: 'client-ended', client_id: 'gone' }], { iat: nowSeconds() + 59 });
  await until(async () => (await statusOf(api, gone)) === 401);
  assert.equal(await statusOf(api, other), 200);
  const soon = aToken({ client_id: 'gone' });
  const later = aToken({ client_id: 'gone', iat: nowSeconds() + 2 * YOUNG });
  for (let time = 0; time < 3; time += 1)
    for (const token of [soon, later]) assert.equal(await statusOf(api, token), 200);
  assert.deepEqual(server.asked, [gone, soon]);
});

test('a revoked key ends everything that it has signed, and a new key is fetched at once', async () => {
  const { server, api } = await live();
  server.keys = [KEY, OTHER_KEY];
  server.tell([{ type: 'keys-changed' }], {});
  const token = aToken({}, OTHER_KEY);
  await until(async () => (await statusOf(api, token)) === 200);
  server.keys = [KEY];
  server.tell([{ type: 'keys-changed', revoked: OTHER_KEY.kid }], {});
  await until(async () => (await statusOf(api, token)) === 401);
  assert.equal(await statusOf(api, aToken({}, OTHER_KEY)), 401);
  assert.deepEqual(server.asked, []);
});

test('a reset: what was known is asked about again', async () => {
  const { server, api } = await live();
  const token = aToken();
  assert.equal(await statusOf(api, token), 200);
  server.tell([], { reset: true, after: '7', cursor: '9', iat: nowSeconds() + 59 });
  await until(async () => (await statusOf(api, token)) === 200 && server.asked.length > 0);
  assert.equal(await statusOf(api, token), 200);
  assert.deepEqual(server.asked, [token]);
});

test('a cut stream: each request is introspected until it is back; then nothing was missed, and the cursor was sent', async () => {
  const { server, api } = await live();
  const [token, ended] = [aToken(), aToken()];
  assert.equal(await statusOf(api, token), 200);
  server.end();
  await until(() => !api.isLive());
  server.ended.add(ended);
  assert.equal(await statusOf(api, token), 200);
  assert.equal(await statusOf(api, ended), 401);
  assert.deepEqual(server.asked, [token, ended]);
  await until(() => api.isLive());
  assert.deepEqual(server.cursors, [undefined, '0']);
  assert.equal(await statusOf(api, token), 200);
  assert.equal(server.asked.length, 2);
});

test('a server that is away: known tokens are accepted until the last word is staleness seconds old, and then nothing is', async () => {
  const { server, api } = await live({ staleness: 1 });
  const token = aToken();
  assert.equal(await statusOf(api, token), 200);
  server.isThere = false;
  server.end();
  await until(() => !api.isLive());
  await until(async () => (await statusOf(api, token)) === 503);
  assert.equal(await statusOf(api, 'unknown'), 503);
  server.isThere = true;
  assert.equal(await statusOf(api, token), 200);
});

test('a stream that says nothing counts as cut after staleness seconds', async () => {
  const { server, api } = await live({ staleness: 1 });
  const token = aToken();
  await until(() => !api.isLive());
  assert.equal(await statusOf(api, token), 200);
  assert.deepEqual(server.asked, [token]);
});

const FORGERIES: Readonly<Record<string, (server: FollowedServer) => void>> = {
  'a piece that a stranger has signed': (server) => server.tell([], {}, testKey('ES256', KEY.kid)),
  'a piece of another issuer': (server) => server.tell([], { iss: 'https://other.example' }),
  'an access token as a piece': (server) => server.tell([], {}, KEY, { typ: 'at+jwt' }),
  'a piece after one that was dropped': (server) => server.tell([], { after: '5', cursor: '6' }),
  'a piece that comes a second time': (server) => {
    server.tell([{ type: 'client-changed', client_id: 'x' }], {});
    server.tell([], { after: '0', cursor: '1' });
  },
  'a piece of long ago': (server) => server.tell([], { iat: nowSeconds() - 100 }),
  'a piece without events': (server) => server.tell([], { events: undefined }),
  'no JWT': (server) => server.write('event: revocations\ndata: x\n\n'),
  'a piece without end': (server) => server.write('x'.repeat(1_100_000)),
};

for (const [name, forge] of Object.entries(FORGERIES)) {
  test(`H-644 ${name} ends the stream, and tokens are introspected until another one is open`, async () => {
    const { server, api, problems } = await live();
    const before = server.opened;
    forge(server);
    await until(() => problems.length > 0);
    assert.match(String(problems[0]), /piece of the feed/u);
    await until(() => server.opened > before && api.isLive());
    assert.equal(await statusOf(api, aToken()), 200);
  });
}

test('a proxy that holds pieces back is noticed: their time is older than that of the fastest one', async () => {
  const { server, api } = await live({ staleness: 2 });
  server.tell([], { iat: nowSeconds() - 30 });
  await until(() => !api.isLive());
  const token = aToken();
  assert.equal(await statusOf(api, token), 200);
  assert.deepEqual(server.asked, [token]);
});

test('no feed at the server, or feed: false: each request is introspected', async () => {
  const without = new FollowedServer();
  without.hasFeed = false;
  for (const made of [world({ feed: false }), world({}, without)]) {
    const token = aToken();
    for (let time = 0; time < 2; time += 1) assert.equal(await statusOf(made.api, token), 200);
    assert.deepEqual(made.server.asked, [token, token]);
  }
});

const WRONG: Readonly<Record<string, () => string>> = {
  expired: () => aToken({ exp: nowSeconds() - 1 }),
  'for another API': () => aToken({ aud: 'https://other.example' }),
  'without an audience': () => aToken({ aud: undefined }),
  'of another issuer': () => aToken({ iss: 'https://other.example' }),
  'an ID token': () => aToken({}, KEY, { typ: 'JWT' }),
  'without a client': () => aToken({ client_id: undefined }),
  'without an expiry': () => aToken({ exp: undefined }),
  'signed by a stranger': () => aToken({}, testKey('ES256', KEY.kid)),
  'signed by an unknown key': () => aToken({}, testKey('ES256', 'unknown')),
  'signed with another algorithm': () => aToken({}, testKey('RS256', KEY.kid)),
  'without a signature': () => `${aToken({}, KEY, { alg: 'none' }).split('.').slice(0, 2).join('.')}.`,
  'with a header that must be understood': () => aToken({}, KEY, { crit: ['b64'], b64: false }),
  'bound to a certificate': () => aToken({ cnf: { 'x5t#S256': 'x' } }),
  'bound in an unknown way': () => aToken({ cnf: { kid: 'x' } }),
  'too long': () => `eyJ${'x'.repeat(20_000)}`,
};

for (const [name, make] of Object.entries(WRONG)) {
  test(`401 invalid_token: a token ${name} (RFC 9068 §4)`, async () => {
    const { api } = await live();
    const outcome = await api.check({ method: 'GET', url: '/', authorization: `Bearer ${make()}` });
    assert.ok('refusal' in outcome);
    assert.equal(outcome.refusal.status, 401);
    assert.match(String(outcome.refusal.headers['www-authenticate']), /^Bearer error="invalid_token"/u);
  });
}

test('challenges: no code without a token, 400 for a header without one, 403 with the scope that is needed (RFC 6750 §3.1)', async () => {
  const resourceMetadata = `${API}/.well-known/oauth-protected-resource`;
  const { api } = await live({ resourceMetadata });
  const ask = async (authorization: string | undefined) => {
    const outcome = await api.check({ method: 'GET', url: '/', authorization }, { scope: 'read admin' });
    return 'refusal' in outcome ? outcome.refusal : assert.fail();
  };
  const none = await ask(undefined);
  assert.deepEqual([none.status, none.body], [401, '']);
  assert.match(
    String(none.headers['www-authenticate']),
    /^Bearer scope="read admin", resource_metadata="https:\/\/api\.example\.com\/[^"]+", DPoP scope="read admin", algs="[^"]*ES256/u,
  );
  for (const header of ['Basic eDp5', 'Bearer', 'Bearer a b', 'Bearer ö', 'Bearer x, Bearer y'])
    assert.equal((await ask(header)).status, 400, header);
  const lacking = await ask(`Bearer ${aToken()}`);
  assert.equal(lacking.status, 403);
  assert.match(
    String(lacking.headers['www-authenticate']),
    /error="insufficient_scope".*scope="read admin"/u,
  );
  assert.equal(await statusOf(api, aToken(), 'read write'), 200);
});

test('bounds: more ends than may be remembered are forgotten, and older tokens are asked about again', async () => {
  const { server, api } = await live({ ends: 10 });
  const ended = aToken();
  server.ended.add(ended);
  const exp = nowSeconds() + 600;
  const others = Array.from({ length: 9 }, (_, index) => ({
    type: 'token-ended',
    ath: `other-${index}`,
    exp,
  }));
  server.tell([{ type: 'token-ended', ath: athOf(ended), exp }, ...others, ...others], {
    iat: nowSeconds() + 59,
  });
  await until(async () => (await statusOf(api, ended)) === 401);
  server.tell(
    Array.from({ length: 9 }, (_, index) => ({ type: 'token-ended', ath: `more-${index}`, exp })),
    {
      iat: nowSeconds() + 59,
    },
  );
  const old = aToken({ iat: nowSeconds() });
  server.ended.add(old);
  assert.equal(await statusOf(api, old), 401);
});

test('bounds: more introspections at once than permitted are refused with 503, and those for one token share an answer', async () => {
  const { server, api } = await live({ introspections: 2 });
  for (const name of ['a', 'b', 'c'])
    server.opaque.set(name, { client_id: 'app', aud: API, exp: nowSeconds() + 9 });
  const answers = await Promise.all(['a', 'a', 'b', 'c'].map(async (token) => await statusOf(api, token)));
  assert.deepEqual(answers, [200, 200, 200, 503]);
  assert.deepEqual(server.asked, ['a', 'b']);
});

test('a token that is bound to a key needs its proof; as a bearer token, with a proof of another key or a second time it is refused (RFC 9449 §7)', async () => {
  const { api } = await live();
  const holder = testKey('ES256', 'holder');
  const token = aToken({ cnf: { jkt: await calculateJwkThumbprint(holder.jwk) } });
  const proofOf = (key: TestKey): string =>
    signedJwt(
      key,
      { htm: 'GET', htu: `${API}/orders`, iat: nowSeconds(), jti: `p${Math.random()}`, ath: athOf(token) },
      { typ: 'dpop+jwt', jwk: key.jwk },
    );
  const ask = async (scheme: string, dpop: string | undefined, presented = token) => {
    const request = { method: 'GET', url: '/orders?page=2', authorization: `${scheme} ${presented}`, dpop };
    const outcome = await api.check(request);
    return 'token' in outcome ? '' : String(outcome.refusal.headers['www-authenticate']);
  };
  const proof = proofOf(holder);
  assert.equal(await ask('DPoP', proof), '');
  assert.match(await ask('DPoP', proof), /^DPoP error="invalid_dpop_proof".*algs="/u);
  assert.match(await ask('DPoP', undefined), /^DPoP error="invalid_dpop_proof"/u);
  assert.match(await ask('DPoP', proofOf(testKey('ES256', 'x'))), /^DPoP error="invalid_token"/u);
  assert.match(await ask('Bearer', proofOf(holder)), /^DPoP error="invalid_token"/u);
  assert.match(await ask('DPoP', proofOf(holder), aToken()), /^Bearer error="invalid_token"/u);
  const { api: refusing } = await live({ dpop: false });
  const request = { method: 'GET', url: '/orders', authorization: `DPoP ${token}`, dpop: proofOf(holder) };
  assert.ok('refusal' in (await refusing.check(request)));
});

test('a token that is bound to a certificate is accepted on a connection with that certificate only (RFC 8705 §3)', async () => {
  const { api } = await live();
  const certificate = Buffer.from('certificate in DER');
  const token = aToken({ cnf: { 'x5t#S256': createHash('sha256').update(certificate).digest('base64url') } });
  const ask = async (shown: Uint8Array | undefined): Promise<boolean> =>
    'token' in
    (await api.check({ method: 'GET', url: '/', authorization: `Bearer ${token}`, certificate: shown }));
  assert.deepEqual(
    [await ask(certificate), await ask(Buffer.from('another')), await ask(undefined)],
    [true, false, false],
  );
});
