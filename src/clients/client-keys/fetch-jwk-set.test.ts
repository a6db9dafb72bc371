import assert from 'node:assert/strict';
import { test } from 'node:test';
import { joseJwtVerifier } from '../../jose/jwt-verifier.ts';
import type { Fetched } from '../../ports/outbound-http.ts';
import { signedJwt, type TestKey, testKey } from '../../testing/jwt.ts';
import { type FetchedJwkSet, type FetchProblem, fetchJwkSet } from './fetch-jwk-set.ts';

const NOW = 1_800_000_000;
const ISSUER = 'https://op.example.com';
const ENTITY = 'https://rp.example';
const URL = `${ENTITY}/jwks.jwt`;
const FEDERATION_KEY = testKey('ES256', 'entity-1');
const SECOND_FEDERATION_KEY = testKey('RS256', 'entity-2');
const KEY = testKey('ES256', 'protocol-1');
const SIGNER = { entity_id: ENTITY, keys: [FEDERATION_KEY.jwk, SECOND_FEDERATION_KEY.jwk] };

const claims = (change: object = {}): object => ({
  iss: ENTITY,
  sub: ENTITY,
  iat: NOW - 10,
  keys: [KEY.jwk],
  ...change,
});
const signed = (change: object = {}, header: object = {}, key: TestKey = FEDERATION_KEY): string =>
  signedJwt(key, claims(change), { typ: 'jwk-set+jwt', ...header });

/** Fetches a signed set from a server that answers with this body and media type. */
async function fetched(body: string, found?: Fetched): Promise<FetchedJwkSet | FetchProblem> {
  const ok = { status: 'ok', body: Buffer.from(body), mediaType: 'application/jwk-set+jwt' } as const;
  const expected: unknown[] = [];
  const outbound = {
    urlProblem: () => undefined,
    get: async (_: string, expectation: unknown) => {
      expected.push(expectation);
      return await Promise.resolve(found ?? ok);
    },
  };
  const verifier = joseJwtVerifier({ now: () => NOW, milliseconds: () => NOW * 1000 });
  const cause = { purpose: 'client-keys', remoteAddress: '192.0.2.1' } as const;
  const set = await fetchJwkSet({ outbound, verifier, issuer: ISSUER }, { url: URL, signer: SIGNER }, cause);
  // "A successful response from the URL MUST use … the content type application/jwk-set+jwt."
  assert.deepEqual(expected, [{ mediaTypes: ['application/jwk-set+jwt'] }]);
  return set;
}

const many = Array.from({ length: 20 }, (_, index) => ({
  ...SECOND_FEDERATION_KEY.jwk,
  kid: `key-${index}`,
}));
const GOOD: Readonly<Record<string, string>> = {
  'without iat and exp': signed({ iat: undefined }),
  'signed with the second federation key': signed({}, {}, SECOND_FEDERATION_KEY),
  'with a type in the long form': signed({}, { typ: 'application/jwk-set+jwt' }),
  'with a line end behind it': `${signed()}\n`,
  'with aud of this server': signed({ aud: ISSUER }),
  'of twenty RSA keys, longer than other JWTs may be': signed({ keys: [KEY.jwk, ...many.slice(1)] }),
};
for (const [title, body] of Object.entries(GOOD)) {
  // proves openid-federation-5.2.1-2
  test(`a signed key set ${title} is that of its entity (OpenID Federation 1.0 §5.2.1)`, async () => {
    const set = await fetched(body);
    assert.ok('keys' in set, JSON.stringify(set));
    assert.deepEqual(set.keys[0], KEY.jwk);
  });
}

// proves openid-federation-5.2.1-2
test('exp of a signed key set bounds its use, with the tolerated clock difference (OpenID Federation 1.0 §5.2.1)', async () => {
  const set = await fetched(signed({ exp: NOW + 30 }));
  assert.equal('ends_at' in set ? set.ends_at : undefined, NOW + 90);
});

test('a key of a signed set that breaks the key policy is left out', async () => {
  const secret = { kty: 'oct', kid: 'secret', k: 'AAAA' };
  const set = await fetched(signed({ keys: [secret, KEY.jwk] }));
  assert.deepEqual('keys' in set ? set.keys : set, [KEY.jwk]);
});

const BAD: Readonly<Record<string, readonly [body: string, words: RegExp]>> = {
  'without a type': [signed({}, { typ: undefined }), /refused: type/],
  'of the type of an entity statement': [signed({}, { typ: 'entity-statement+jwt' }), /refused: type/],
  'without a kid': [signed({}, { kid: undefined }), /refused: its header has no kid/],
  'with the kid of no federation key': [signed({}, { kid: 'protocol-1' }), /refused: unknown-key/],
  'signed with the key that it publishes': [
    signed({}, { kid: 'entity-1' }, testKey('ES256', 'protocol-1')),
    /refused: signature/,
  ],
  altered: [`${signed().slice(0, -8)}AAAAAAAA`, /refused: signature/],
  'of another issuer': [signed({ iss: 'https://other.example' }), /refused: issuer/],
  'without an issuer': [signed({ iss: undefined }), /refused: claims/],
  'of another owner': [
    signed({ sub: 'https://other.example' }),
    /refused: sub must be https:\/\/rp\.example/,
  ],
  'without an owner': [signed({ sub: undefined }), /refused: claims/],
  'without keys': [signed({ keys: undefined }), /refused: claims/],
  'whose keys are no list': [signed({ keys: {} }), /not a JWK Set of at most 20 keys/],
  'of 21 keys': [signed({ keys: [KEY.jwk, ...many] }), /not a JWK Set of at most 20 keys/],
  'that has expired': [signed({ exp: NOW - 61 }), /refused: expired/],
  'of tomorrow': [signed({ iat: NOW + 86_400 }), /refused: not-yet-valid/],
  'for another server': [signed({ aud: 'https://other.example' }), /refused: audience/],
  'that is plain JSON': [JSON.stringify({ keys: [KEY.jwk] }), /refused: malformed/],
};
for (const [title, [body, words]] of Object.entries(BAD)) {
  // proves openid-federation-5.2.1-2
  test(`a signed key set ${title} is refused with the reason (OpenID Federation 1.0 §5.2.1)`, async () => {
    const set = await fetched(body);
    assert.match('problem' in set ? set.problem : '', words);
    assert.deepEqual('problem' in set ? [set.unbegun, set.retryAfter] : undefined, [false, undefined]);
  });
}

test('a signed key set that cannot be fetched has the reason and the time of the next try', async () => {
  const busy = { status: 'failed', reason: 'busy', detail: 'no slot', retryAfter: 7 } as const;
  assert.deepEqual(await fetched('', busy), {
    problem: 'busy: no slot',
    unbegun: true,
    unasked: true,
    retryAfter: 7,
  });
});
