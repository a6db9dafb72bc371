import assert from 'node:assert/strict';
import { createSecretKey, generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import { joseJwtSigner } from '../../jose/compact-jws.ts';
import { joseJweDecrypter, joseJweEncrypter } from '../../jose/jwe.ts';
import { joseJwtVerifier } from '../../jose/jwt-verifier.ts';
import type { JwtProfile } from '../../ports/jwt-verifier.ts';
import type { ClientMetadata } from '../../spec/client-metadata.ts';
import type { SignatureAlgorithm } from '../../spec/jose-algorithms.ts';
import { SIGNING_ALGORITHMS } from '../../spec/server-capabilities.ts';
import { ampleCaches } from '../../testing/caches.ts';
import { testKey } from '../../testing/jwt.ts';
import { testSettings } from '../../testing/settings.ts';
import { remoteJwkSets } from '../client-keys/remote-jwk-set.ts';
import { type IdTokenNeeds, issueIdToken } from './client-jwt.ts';
import { subjectFor } from './pairwise-subject.ts';

const NOW = 1_800_000_000;
const ISSUER = 'https://op.example.com';
const SECRET = createSecretKey(Buffer.alloc(32, 7));
const clock = { now: () => NOW, milliseconds: () => NOW * 1000 };
const signer = joseJwtSigner();

const KEYS = new Map(SIGNING_ALGORITHMS.map((algorithm) => [algorithm, testKey(algorithm, algorithm)]));

async function sign(claims: object, { alg, typ }: { alg: SignatureAlgorithm; typ: string }): Promise<string> {
  const key = KEYS.get(alg);
  assert.ok(key);
  return await signer.sign(
    { ...claims },
    { alg, typ, kid: alg },
    { ...key.privateKey.export({ format: 'jwk' }) },
  );
}

const NEEDS: IdTokenNeeds = {
  issuer: ISSUER,
  pairwiseSecret: SECRET,
  clientJwts: {
    keys: {
      beginToSign: async (claims, header) => ({ jwt: sign(claims, header) }),
      canSign: (alg) => KEYS.has(alg),
    },
    encrypter: joseJweEncrypter,
    jwkSets: remoteJwkSets({
      clock,
      caches: ampleCaches(),
      outbound: {
        urlProblem: () => undefined,
        get: async () => ({ status: 'failed', reason: 'timeout', detail: 'late' }),
      },
      settings: testSettings(),
      verifier: joseJwtVerifier(clock),
    }),
  },
};

const CLIENT: ClientMetadata = {
  grant_types: ['authorization_code'],
  response_types: ['code'],
  application_type: 'web',
  token_endpoint_auth_method: 'client_secret_basic',
  redirect_uris: ['https://rp.example/cb'],
};
const CONTENT = { sub: 'alice', client_id: 'rp', iat: NOW, exp: NOW + 300, nonce: 'n' };

const PROFILE: JwtProfile = {
  algorithms: SIGNING_ALGORITHMS,
  types: ['jwt'],
  requiredClaims: ['iss', 'sub', 'aud', 'exp', 'iat'],
  issuer: ISSUER,
  audience: { kind: 'sole', values: ['rp'] },
  lifetimeMax: undefined,
  ageMax: undefined,
};

async function read(jwt: string): Promise<{ alg: unknown; claims: Readonly<Record<string, unknown>> }> {
  const keys = [...KEYS.values()].map(({ jwk }) => jwk);
  const verification = await joseJwtVerifier(clock).verify(jwt, keys, PROFILE);
  assert.ok(verification.verified, 'reason' in verification ? verification.reason : '');
  return { alg: verification.header['alg'], claims: { ...verification.claims } };
}

async function issued(metadata: ClientMetadata): Promise<string> {
  const made = await issueIdToken(NEEDS, metadata, CONTENT);
  return 'jwt' in made ? made.jwt : assert.fail(made.problem);
}

// proves rfc9701-6-1, openid-core-2-3
test('an ID token is signed with RS256 by default (OpenID Connect Dynamic Client Registration 1.0 §2)', async () => {
  const { alg, claims } = await read(await issued(CLIENT));
  assert.equal(alg, 'RS256');
  assert.deepEqual(claims, { iss: ISSUER, sub: 'alice', aud: 'rp', exp: NOW + 300, iat: NOW, nonce: 'n' });
});

for (const algorithm of SIGNING_ALGORITHMS) {
  test(`id_token_signed_response_alg ${algorithm} (OpenID Connect Dynamic Client Registration 1.0 §2)`, async () => {
    const { alg } = await read(await issued({ ...CLIENT, id_token_signed_response_alg: algorithm }));
    assert.equal(alg, algorithm);
  });
}

// proves openid-core-8-1
test('subject_type pairwise: the ID token has the pairwise subject of the client (OpenID Connect Core 1.0 §8.1)', async () => {
  const pairwise = { ...CLIENT, subject_type: 'pairwise' };
  const { claims } = await read(await issued(pairwise));
  assert.equal(claims['sub'], subjectFor(pairwise, 'alice', SECRET));
  assert.notEqual(claims['sub'], 'alice');
});

// proves openid-core-2-3, openid-core-16.14-1
test('id_token_encrypted_response_alg: signed, then encrypted, cty JWT (OpenID Connect Core 1.0 §16.14; RFC 7519 §5.2)', async () => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwe = await issued({
    ...CLIENT,
    jwks: { keys: [{ ...publicKey.export({ format: 'jwk' }), use: 'enc', kid: 'e1' }] as never },
    id_token_encrypted_response_alg: 'ECDH-ES',
    id_token_encrypted_response_enc: 'A128GCM',
  });
  const decryption = await joseJweDecrypter().decrypt(
    jwe,
    [{ ...privateKey.export({ format: 'jwk' }), kid: 'e1' }],
    {
      algorithms: ['ECDH-ES'],
      encryptions: ['A128GCM'],
    },
  );
  assert.ok(decryption.decrypted);
  assert.equal(decryption.header['cty'], 'JWT');
  assert.equal((await read(decryption.plaintext)).claims['sub'], 'alice');
});

test('without a key for encryption no ID token is made, and the result has a reason for the log', async () => {
  const encrypted = { ...CLIENT, id_token_encrypted_response_alg: 'RSA-OAEP' };
  const reasonOf = async (metadata: ClientMetadata): Promise<unknown> =>
    await issueIdToken(NEEDS, metadata, CONTENT);
  assert.deepEqual(await reasonOf(encrypted), { problem: 'no key of the client is for RSA-OAEP' });
  assert.deepEqual(
    await reasonOf({ ...encrypted, jwks: { keys: [KEYS.get('ES256')?.jwk ?? {}] as never } }),
    {
      problem: 'no key of the client is for RSA-OAEP',
    },
  );
  assert.deepEqual(await reasonOf({ ...encrypted, jwks_uri: 'https://rp.example/jwks' }), {
    problem: 'timeout: late',
  });
});
