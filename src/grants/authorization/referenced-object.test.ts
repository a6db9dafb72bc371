import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import type { CachingHeaders, FetchCause, Fetched, OutboundProblem } from '../../ports/outbound-http.ts';
import {
  aReceivingNeeds,
  aRegisteredClient,
  ISSUER,
  NOW,
  REDIRECT_URI,
  REQUEST,
} from '../../testing/authorization-requests.ts';
import { ampleCaches } from '../../testing/caches.ts';
import { segment, signedJwt, testKey } from '../../testing/jwt.ts';
import { AuthorizationError, type AuthorizationRequest } from './authorization-request.ts';
import { receiveAuthorizationRequest } from './receive-authorization-request.ts';
import { referencedObjects } from './referenced-object.ts';

const URI = 'https://rp.example.com/request.jwt';
const key = testKey('ES256');

const object = (client_id: string, change: object = {}): string =>
  signedJwt(key, { iss: client_id, aud: ISSUER, exp: NOW + 60, ...REQUEST, client_id, ...change });

/** A client with these `request_uris`, and a web server that has `text` or fails. */
function arranged(request_uris: readonly string[], caching: CachingHeaders = {}) {
  const client = aRegisteredClient({ jwks: { keys: [key.jwk] }, request_uris });
  const { client_id } = client;
  const world = { now: NOW, text: object(client_id), failure: undefined as OutboundProblem | undefined };
  const fetched: { readonly url: string; readonly cause: FetchCause }[] = [];
  const get = async (url: string, _: unknown, cause: FetchCause): Promise<Fetched> => {
    fetched.push({ url, cause });
    if (world.failure !== undefined) return { status: 'failed', ...world.failure };
    return { status: 'ok', body: Buffer.from(world.text), mediaType: 'application/jwt', caching };
  };
  const referenced = referencedObjects({
    outbound: { urlProblem: () => undefined, get },
    clock: { now: () => world.now, milliseconds: () => world.now * 1000 },
    caches: ampleCaches(),
    settings: {
      'authorization.request-uri-by-reference': true,
      'authorization.pushed-requests': 'registered',
    },
  });
  const ask = async (request_uri: string, beside: object = {}): Promise<AuthorizationRequest> => {
    const sent = { client_id, response_type: 'code', redirect_uri: REDIRECT_URI, ...beside, request_uri };
    return (await receiveAuthorizationRequest({ ...aReceivingNeeds([client]), referenced }, sent)).request;
  };
  return { client_id, world, fetched, ask };
}

const refusedWith =
  (code: string, reason: string) =>
  (failure: unknown): boolean =>
    failure instanceof AuthorizationError && failure.code === code && failure.notes.reason === reason;

// proves rfc9101-5.2-1, openid-core-6.2-1
test('the object at a registered request_uri is the request, and what is sent beside it counts for nothing (RFC 9101 §5.2, §6.3)', async () => {
  const { ask, client_id, fetched } = arranged([URI]);
  const request = await ask(URI, { state: 'plain', nonce: 'plain' });
  assert.deepEqual([request.state, request.nonce], [REQUEST.state, REQUEST.nonce]);
  assert.deepEqual(fetched, [
    { url: URI, cause: { purpose: 'request-objects', remoteAddress: '192.0.2.1', party: client_id } },
  ]);
});

const REGISTERED: readonly (readonly [what: string, registered: string, asked: string, fetched: boolean])[] =
  [
    ['the same URI', URI, URI, true],
    ['the same URI with its fragment', `${URI}#v1`, `${URI}#v1`, true],
    ['a fragment that the registration leaves open', URI, `${URI}#v1`, true],
    ['another fragment than the registered one', `${URI}#v1`, `${URI}#v2`, false],
    ['no fragment, where one is registered', `${URI}#v1`, URI, false],
    ['a query that is added', URI, `${URI}?a=b`, false],
    ['another case', URI, URI.replace('rp', 'RP'), false],
    ['a path that is equivalent', URI, URI.replace('/request', '/./request'), false],
    ['an address of its own', URI, 'https://evil.example/', false],
  ];

for (const [what, registered, asked, isFetched] of REGISTERED) {
  // proves openid-core-6.2-1
  test(`${what}: ${isFetched ? 'the object is fetched' : 'invalid_request_uri, and nothing is fetched'}; a request_uri is compared exactly (OpenID Connect Core 1.0 §6.2)`, async () => {
    const { ask, fetched } = arranged([registered]);
    if (isFetched) await ask(asked);
    else await assert.rejects(ask(asked), refusedWith('invalid_request_uri', 'request-uri-not-registered'));
    assert.equal(fetched.length, isFetched ? 1 : 0);
  });
}

// proves openid-core-6.2-1
test('another fragment is another version: it is fetched anew at once (OpenID Connect Core 1.0 §6.2)', async () => {
  const { ask, world, client_id, fetched } = arranged([URI], { 'cache-control': 'max-age=300' });
  assert.equal((await ask(`${URI}#one`)).state, REQUEST.state);
  world.text = object(client_id, { state: 'newer' });
  assert.equal((await ask(`${URI}#one`)).state, REQUEST.state, 'cached');
  assert.equal((await ask(`${URI}#two`)).state, 'newer');
  assert.equal(fetched.length, 2);
});

const LIFETIMES: readonly (readonly [what: string, caching: CachingHeaders, seconds: number])[] = [
  ['no-store', { 'cache-control': 'no-store' }, 0],
  ['max-age of a minute', { 'cache-control': 'max-age=60' }, 60],
  ['max-age of a year', { 'cache-control': 'max-age=31536000' }, 300],
  ['nothing', {}, 300],
];

for (const [what, caching, seconds] of LIFETIMES) {
  test(`an object whose server says ${what} is cached for ${seconds} s (RFC 9111 §4.2)`, async () => {
    const { ask, world, fetched } = arranged([URI], caching);
    await ask(URI);
    world.now += Math.max(0, seconds - 1);
    await ask(URI);
    assert.equal(fetched.length, seconds === 0 ? 2 : 1);
    world.now += 1;
    await ask(URI);
    assert.equal(fetched.length, seconds === 0 ? 3 : 2);
  });
}

test('an object with its own hash in the fragment cannot change, and is cached for an hour (OpenID Connect Core 1.0 §6.2)', async () => {
  const { ask, world, fetched } = arranged([URI], { 'cache-control': 'no-store' });
  const uri = `${URI}#${hash('sha256', world.text, 'base64url')}`;
  await ask(uri);
  world.now += 3599;
  await ask(uri);
  assert.equal(fetched.length, 1);
  world.now += 1;
  await ask(uri);
  assert.equal(fetched.length, 2);
});

test('a failure is not cached: invalid_request_uri, or temporarily_unavailable if nothing is known (decision 50)', async () => {
  const { ask, world } = arranged([URI]);
  world.failure = { reason: 'redirected', detail: 'status 302' };
  await assert.rejects(ask(URI), refusedWith('invalid_request_uri', 'request-uri-fetch'));
  world.failure = { reason: 'busy', detail: 'no slot', retryAfter: 1 };
  await assert.rejects(ask(URI), refusedWith('temporarily_unavailable', 'request-uri-fetch'));
  world.failure = undefined;
  assert.equal((await ask(URI)).state, REQUEST.state);
});

const OBJECTS: Readonly<Record<string, (client_id: string) => string>> = {
  unsigned: (client_id) =>
    `${segment('{"alg":"none"}')}.${segment(JSON.stringify({ iss: client_id, aud: ISSUER, ...REQUEST, client_id }))}.`,
  'of another client': () => object('another'),
  'with the client_id of another client': (client_id) => object(client_id, { client_id: 'another' }),
  'of a stranger': (client_id) => signedJwt(testKey('ES256'), { iss: client_id, aud: ISSUER, ...REQUEST }),
  'with a request_uri inside': (client_id) => object(client_id, { request_uri: URI }),
  'with a request inside': (client_id) => object(client_id, { request: 'a.b.c' }),
  'that is a page': () => '<html></html>',
  'that is empty': () => '',
};

for (const [what, make] of Object.entries(OBJECTS)) {
  // proves openid-core-6.2-1
  test(`an object ${what}: invalid_request_object at the registered address (RFC 9101 §6, OpenID Connect Core 1.0 §6.2)`, async () => {
    const { ask, world, client_id } = arranged([URI]);
    world.text = make(client_id);
    await assert.rejects(
      ask(URI),
      (failure) => failure instanceof AuthorizationError && failure.code === 'invalid_request_object',
    );
  });
}

test('white space at the ends of the document does not count', async () => {
  const { ask, world } = arranged([URI]);
  world.text = `\n${world.text}\r\n`;
  assert.equal((await ask(URI)).state, REQUEST.state);
});

test('off, which is the default, and where every client pushes its requests, there is no such cache, and nothing can be fetched', () => {
  const needs = { outbound: undefined as never, clock: undefined as never, caches: ampleCaches() };
  for (const [byReference, pushed] of [
    [false, 'registered'],
    [true, 'all-clients'],
  ] as const) {
    const settings = {
      'authorization.request-uri-by-reference': byReference,
      'authorization.pushed-requests': pushed,
    };
    assert.equal(referencedObjects({ ...needs, settings }), undefined, pushed);
  }
});
