import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { digestOf } from '../../src/keys/digest.ts';
import {
  call,
  manage,
  type Registration,
  register,
  SERVICE,
  WEB_CLIENT,
} from '../journeys/conformance-exchange.ts';
import { type FeedStream, followFeed } from '../program/feed-stream.ts';
import { type Program, sha256, startProgram } from '../program/start.ts';

/** Resource servers that follow the revocations of two servers on one database. */
const STREAMS_MAX = 6;
const environment = { CHANCERY_REVOCATION_FEED_STREAMS_PER_CLIENT: String(STREAMS_MAX) };

let first: Program;
let second: Program;
let resourceServer: Registration;
let client: Registration;

/** Starts a server on the database of the first one, with its master tokens. */
async function startBeside({ folder, masterToken, directToken }: Program): Promise<Program> {
  const tokens = {
    CHANCERY_REGISTRATION_MASTER_TOKEN_SHA256: sha256(masterToken),
    CHANCERY_DIRECT_AUTHORIZATION_TOKEN_SHA256: sha256(directToken),
  };
  const started = await startProgram({ folder, environment: { ...environment, ...tokens } });
  return { ...started, masterToken, directToken };
}

const aReader = async (): Promise<Registration> =>
  await register(first, { ...SERVICE, scope: `${first.issuer}/token/introspect` });

before(async () => {
  first = await startProgram({ environment });
  second = await startBeside(first);
  resourceServer = await aReader();
  client = await register(first, SERVICE);
});

after(async () => {
  await second.stop();
  await first.stop();
});

async function aToken(
  program: Program,
  { client_id, client_secret }: Registration = client,
): Promise<string> {
  const form = { grant_type: 'client_credentials' };
  const { json } = await call(program, {
    method: 'POST',
    path: '/token',
    basic: [client_id, client_secret],
    form,
  });
  return String(json['access_token']);
}

async function revoke(program: Program, token: string, of: Registration = client): Promise<void> {
  const { client_id, client_secret } = of;
  const basic = [client_id, client_secret] as const;
  const { status } = await call(program, { method: 'POST', path: '/token/revoke', basic, form: { token } });
  assert.equal(status, 200);
}

const endsOf = ({ events }: FeedStream): readonly string[] =>
  events.flatMap((event) => (event.type === 'token-ended' ? [event.ath] : []));

const open = async (request: Partial<Parameters<typeof call>[1]>) =>
  await call(first, { method: 'POST', path: '/token/revocations', form: {}, ...request });

test('H-640, H-641, H-642 no credentials, a wrong secret, a master token: 401; no scope: 403; another method or media type: 405, 400', async () => {
  const { client_id, client_secret } = resourceServer;
  const answers = [
    await open({}),
    await open({ basic: [client_id, 'wrong'] }),
    await open({ bearer: first.masterToken }),
    await open({ bearer: resourceServer.registration_access_token }),
    await open({ basic: [client.client_id, client.client_secret] }),
    await open({ bearer: await aToken(first) }),
    await open({ method: 'GET', basic: [client_id, client_secret], form: undefined as never }),
    await open({ json: {}, form: undefined as never, basic: [client_id, client_secret] }),
  ];
  assert.deepEqual(
    answers.map(({ status }) => status),
    [401, 401, 401, 401, 403, 403, 405, 400],
  );
});

test('H-643 a cursor of nothing, of another tenant or ahead of the newest change: a reset at the newest change', async () => {
  for (const cursor of ['x', '1-AAAAAAAA', '999999999-AAAAAAAA', '\r\ndata: forged', 'é'.repeat(500)]) {
    const stream = await followFeed(first, resourceServer, cursor);
    await stream.until(() => stream.claims.length > 0);
    assert.deepEqual([stream.claims[0]?.reset, stream.claims[0]?.events], [true, []]);
    await stream.close();
  }
});

test('H-645 more streams of one client than it may have: 429, others have their own, and a place is free again', async () => {
  const reader = await aReader();
  const streams = await Promise.all(
    Array.from({ length: STREAMS_MAX + 2 }, async () => await followFeed(first, reader)),
  );
  const statuses = streams.map(({ status }) => status).sort((one, other) => one - other);
  assert.deepEqual(statuses, [...Array.from({ length: STREAMS_MAX }, () => 200), 429, 429]);
  const other = await followFeed(first, resourceServer);
  assert.equal(other.status, 200);
  await Promise.all([...streams, other].map(async (stream) => await stream.close()));
  let status = 429;
  while (status === 429) {
    const again = await followFeed(first, reader);
    status = again.status;
    await again.close();
  }
  assert.equal(status, 200);
});

test('H-646 the reader is deleted at the other server: its stream ends with caller-changed, and its credentials open no other', async () => {
  const reader = await aReader();
  const stream = await followFeed(first, reader);
  await stream.until(() => stream.claims.length > 0);
  assert.equal((await manage(second, reader, 'DELETE')).status, 204);
  await stream.done;
  assert.equal(stream.end, 'caller-changed');
  assert.equal((await followFeed(second, reader)).status, 401);
});

test('H-650 revocations race on two servers: readers at both see each one once, all in one order', async () => {
  const readers = [await followFeed(first, resourceServer), await followFeed(second, resourceServer)];
  for (const reader of readers) await reader.until(() => reader.claims.length > 0);
  const tokens = await Promise.all(Array.from({ length: 60 }, async () => await aToken(first)));
  // Each token is revoked at both servers: one of the two ends it.
  await Promise.all(tokens.flatMap((token) => [revoke(first, token), revoke(second, token)]));
  const expected = tokens.map((token) => digestOf(token));
  for (const reader of readers) {
    await reader.until(() => endsOf(reader).length >= expected.length);
    assert.deepEqual([...endsOf(reader)].sort(), [...expected].sort());
  }
  assert.deepEqual(endsOf(readers[0] ?? assert.fail()), endsOf(readers[1] ?? assert.fail()));
  for (const reader of readers) await reader.close();
});

test('H-651 a JWT of the feed is no access token and no client assertion', async () => {
  const stream = await followFeed(first, resourceServer);
  await stream.until(() => stream.jwts.length > 0);
  const jwt = stream.jwts[0] ?? assert.fail();
  await stream.close();
  const { client_id, client_secret } = resourceServer;
  const basic = [client_id, client_secret] as const;
  const asked = await call(first, { method: 'POST', path: '/token/introspect', basic, form: { token: jwt } });
  assert.equal(asked.text, '{"active":false}');
  assert.equal((await open({ bearer: jwt })).status, 401);
  const type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
  const asserted = {
    grant_type: 'client_credentials',
    client_id,
    client_assertion: jwt,
    client_assertion_type: type,
  };
  assert.equal((await call(first, { method: 'POST', path: '/token', form: asserted })).status, 401);
});

test('H-652 the feed has no token, no person and no grant: only digests, times, clients and keys', async () => {
  const stream = await followFeed(first, resourceServer);
  await stream.until(() => stream.claims.length > 0);
  const website = await register(first, {
    ...WEB_CLIENT,
    grant_types: ['authorization_code', 'refresh_token'],
  });
  const { json } = await call(first, {
    method: 'POST',
    path: '/direct-authz/rest/v2',
    bearer: first.directToken,
    json: {
      client_id: website.client_id,
      sub: 'person-of-the-test',
      scope: ['read'],
      refresh_token: { issue: true },
    },
  });
  const [token, refresh] = [String(json['access_token']), String(json['refresh_token'])];
  assert.ok(token.length > 20 && refresh.length > 20, JSON.stringify(json));
  await revoke(second, refresh, website);
  await stream.until(() => endsOf(stream).includes(digestOf(token)));
  await stream.close();
  const members = new Set(
    stream.claims.flatMap(({ events }) => events.flatMap((event) => Object.keys(event))),
  );
  assert.deepEqual([...members].sort(), ['ath', 'exp', 'type']);
  const text = JSON.stringify(stream.claims);
  for (const secret of [token.slice(0, 40), refresh.slice(0, 40), 'person-of-the-test'])
    assert.ok(!text.includes(secret), secret);
});

test('H-649 SIGKILL of a server under revocations: a reader goes on at another server, and no revocation that was answered is lost', async () => {
  const stream = await followFeed(second, resourceServer);
  await stream.until(() => stream.claims.length > 0);
  const tokens = await Promise.all(Array.from({ length: 80 }, async () => await aToken(first)));
  const answered: string[] = [];
  // Settled from the start on: a call that the kill interrupts must not be an unhandled rejection.
  const revoking = Promise.allSettled(
    tokens.map(async (token) => {
      await revoke(second, token);
      answered.push(digestOf(token));
    }),
  );
  await stream.until(() => endsOf(stream).length > 0);
  second.signal('SIGKILL');
  await second.exited;
  await revoking;
  await stream.done;
  assert.equal(stream.end, undefined, 'a killed server says nothing');
  const again = await followFeed(first, resourceServer, stream.cursor());
  second = await startBeside(first);
  const restarted = await followFeed(second, resourceServer, stream.cursor());
  const last = await aToken(first);
  await revoke(second, last);
  for (const reader of [again, restarted]) {
    await reader.until(() => endsOf(reader).includes(digestOf(last)));
    assert.equal(reader.claims[0]?.reset, undefined);
    const seen = [...endsOf(stream), ...endsOf(reader)];
    assert.equal(new Set(seen).size, seen.length, 'an end was told twice');
    for (const ath of answered) assert.ok(seen.includes(ath), 'a revocation that was answered is lost');
    await reader.close();
  }
});

test('H-647 a server that stops says so, and its readers go on elsewhere with their cursor', async () => {
  const stream = await followFeed(second, resourceServer);
  await stream.until(() => stream.claims.length > 0);
  second.signal('SIGTERM');
  await stream.done;
  assert.equal(stream.end, 'server-stops');
  assert.equal(await second.exited, 0);
  const token = await aToken(first);
  await revoke(first, token);
  const again = await followFeed(first, resourceServer, stream.cursor());
  await again.until(() => endsOf(again).length > 0);
  assert.deepEqual(endsOf(again), [digestOf(token)]);
  await again.close();
});
