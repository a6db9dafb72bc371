import { createHash, randomUUID } from 'node:crypto';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { objectOf } from '../http.ts';
import { type Check, expect, present, shown, text } from '../verdict.ts';
import type { Json, World } from '../world.ts';
import { now } from './fapi-request.ts';

/** Conditions of the FAPI 2.0 modules about DPoP proofs (RFC 9449), and about the resource that takes them. */

const HOUR_S = 3600;

async function makeKey(world: World): Promise<void> {
  const pair = await generateKeyPair('ES256', { extractable: true });
  world.dpop_key = { privateKey: pair.privateKey, publicJwk: await exportJWK(pair.publicKey) };
}

/** Begins a proof for an endpoint: its header and its claims. */
const begun =
  (method: string, endpoint: string, withToken = false): Check =>
  async (world) => {
    if (world.dpop_key === undefined) await makeKey(world);
    const { publicJwk } = present(world.dpop_key, 'DPoP key');
    world.dpop_header = { alg: 'ES256', typ: 'dpop+jwt', jwk: publicJwk };
    const token = withToken ? present(world.access_token, 'access token') : undefined;
    world.dpop_claims = {
      jti: randomUUID(),
      htm: method,
      htu: text(world.server[endpoint], endpoint),
      iat: now(),
      ...(token === undefined ? {} : { ath: createHash('sha256').update(token).digest('base64url') }),
    };
  };

const inClaims =
  (change: (claims: Json) => void): Check =>
  ({ dpop_claims }) =>
    change(present(dpop_claims, 'claims of the proof'));

const inHeader =
  (change: (header: Json) => void): Check =>
  ({ dpop_header }) =>
    change(present(dpop_header, 'header of the proof'));

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Replaces the signed proof by another text. */
const inProof =
  (change: (parts: readonly string[], world: World) => string): Check =>
  (world) => {
    world.dpop_proof = change(present(world.dpop_proof, 'proof').split('.'), world);
  };

async function callResource(world: World, scheme: 'DPoP' | 'Bearer' | 'DPOP' | 'bEARER'): Promise<void> {
  const endpoint = text(world.server['userinfo_endpoint'], 'userinfo_endpoint');
  const { dpop_proof } = world;
  world.resource = await world.target.send(endpoint, {
    headers: {
      authorization: `${scheme} ${present(world.access_token, 'access token')}`,
      ...(dpop_proof === undefined ? {} : { dpop: dpop_proof }),
    },
    certificate: world.certificate,
  });
  delete world.dpop_proof;
}

const status =
  (...expected: readonly number[]): Check =>
  ({ resource }) =>
    expect(
      expected.includes(resource?.status ?? 0),
      `the resource answered ${resource?.status}: ${resource?.text.slice(0, 200)}`,
    );

export const FAPI_DPOP = {
  GenerateDpopKey: makeKey,
  async AddDpopJktToAuthorizationEndpointRequest(world) {
    if (world.dpop_key === undefined) await makeKey(world);
    const { publicJwk } = present(world.dpop_key, 'DPoP key');
    world.authorization_endpoint_request['dpop_jkt'] = await calculateJwkThumbprint(publicJwk);
  },
  AddInvalidDpopJktToAuthorizationEndpointRequest: ({ authorization_endpoint_request: request }) =>
    void (request['dpop_jkt'] = createHash('sha256').update('another key').digest('base64url')),
  CreateDpopProofForParEndpoint: begun('POST', 'pushed_authorization_request_endpoint'),
  CreateDpopProofForTokenEndpoint: begun('POST', 'token_endpoint'),
  CreateDpopProofForResourceEndpoint: begun('GET', 'userinfo_endpoint', true),
  SetDpopNbfToNow: inClaims((claims) => void (claims['nbf'] = now())),
  SetDpopExpToFiveMinutesInFuture: inClaims((claims) => void (claims['exp'] = now() + 300)),
  SetDpopIatTo8SecondsInFuture: inClaims((claims) => void (claims['iat'] = now() + 8)),
  SetDpopIatTo10SecondsInPast: inClaims((claims) => void (claims['iat'] = now() - 10)),
  SetDpopIatToOneHourInFuture: inClaims((claims) => void (claims['iat'] = now() + HOUR_S)),
  SetDpopIatToOneHourInPast: inClaims((claims) => void (claims['iat'] = now() - HOUR_S)),
  RemoveJtiFromDpopProof: inClaims((claims) => void delete claims['jti']),
  RemoveHtmFromDpopProof: inClaims((claims) => void delete claims['htm']),
  RemoveHtuFromDpopProof: inClaims((claims) => void delete claims['htu']),
  RemoveIatFromDpopProof: inClaims((claims) => void delete claims['iat']),
  RemoveAthFromDpopProof: inClaims((claims) => void delete claims['ath']),
  SetDpopAccessTokenHashToIncorrectValue: inClaims((claims) => void (claims['ath'] = 'x'.repeat(43))),
  SetDpopHtmToPut: inClaims((claims) => void (claims['htm'] = 'PUT')),
  AddQueryAndFragmentToDpopHtu: inClaims((claims) => void (claims['htu'] = `${String(claims['htu'])}?a=b#c`)),
  SetDpopHtuToDifferentUrl: inClaims((claims) => void (claims['htu'] = 'https://other.example.com/resource')),
  DpopHtuUpperCase: inClaims((claims) => {
    const url = new URL(String(claims['htu']));
    claims['htu'] = `${url.protocol.toUpperCase()}//${url.host.toUpperCase()}${url.pathname}`;
  }),
  FixedJtiClaim(world) {
    const claims = present(world.dpop_claims, 'claims of the proof');
    claims['jti'] = `fixed-${String(world.client['client_id'])}`;
  },
  AddExtraClaimsToClaims: inClaims((claims) => void (claims['extra'] = 'foobar')),
  RemoveTypFromDpopProof: inHeader((header) => void delete header['typ']),
  RemoveJwkFromDpopProof: inHeader((header) => void delete header['jwk']),
  SetDpopHeaderTypToInvalidValue: inHeader((header) => void (header['typ'] = 'dpop')),
  AddExtraClaimsToHeader: inHeader((header) => void (header['extra'] = 'foobar')),
  async SetDpopHeaderJwkToPrivateKey({ dpop_header, dpop_key }) {
    const { privateKey } = present(dpop_key, 'DPoP key');
    present(dpop_header, 'header')['jwk'] = await exportJWK(privateKey);
  },
  async SignDpopProof(world) {
    const { privateKey } = present(world.dpop_key, 'DPoP key');
    world.dpop_proof = await new SignJWT(present(world.dpop_claims, 'claims'))
      .setProtectedHeader({ alg: 'ES256', ...present(world.dpop_header, 'header') })
      .sign(privateKey);
  },
  async SignDpopProofWithAnotherKey(world) {
    const { privateKey } = await generateKeyPair('ES256');
    world.dpop_proof = await new SignJWT(present(world.dpop_claims, 'claims'))
      .setProtectedHeader({ alg: 'ES256', ...present(world.dpop_header, 'header') })
      .sign(privateKey);
  },
  async SignDpopProofWithRS256(world) {
    const { privateKey, publicJwk } = world.nextKey();
    world.dpop_proof = await new SignJWT(present(world.dpop_claims, 'claims'))
      .setProtectedHeader({ ...present(world.dpop_header, 'header'), alg: 'RS256', jwk: publicJwk })
      .sign(privateKey);
  },
  SignDpopProofWithNone(world) {
    const header = { ...present(world.dpop_header, 'header'), alg: 'none' };
    world.dpop_proof = `${part(header)}.${part(world.dpop_claims)}.`;
  },
  SignDpopAndRemoveAlg: inProof(([, payload, signature], { dpop_header }) => {
    const { alg: _, ...header } = present(dpop_header, 'header');
    return `${part(header)}.${payload}.${signature}`;
  }),
  InvalidateDpopProofSignature: inProof(
    ([header, payload, signature = '']) => `${header}.${payload}.${signature.split('').reverse().join('')}`,
  ),
  NotWellformedDPoP: inProof(([header, payload]) => `${header}.${payload}`),
  MultipleProofs: inProof((parts) => `${parts.join('.')}, ${parts.join('.')}`),
  RemoveDpopFromResourceRequest: (world) => void delete world.dpop_proof,
  AddDpopHeaderForTokenEndpointRequest(world) {
    world.token_endpoint_headers['dpop'] = present(world.dpop_proof, 'proof');
    delete world.dpop_proof;
  },
  CallProtectedResourceWithDpop: async (world) => await callResource(world, 'DPoP'),
  SetAccessTokenTypeToInvertedCase: async (world) =>
    await callResource(world, world.variant.sender_constrain === 'mtls' ? 'bEARER' : 'DPOP'),
  CallProtectedResourceForceBearer: async (world) => await callResource(world, 'Bearer'),
  async DisallowAccessTokenInQuery(world) {
    const endpoint = text(world.server['userinfo_endpoint'], 'userinfo_endpoint');
    const { certificate } = world;
    const { status: answered } = await world.target.send(`${endpoint}?access_token=${world.access_token}`, {
      certificate,
    });
    expect(answered >= 400 && answered < 500, `a token in the query: ${answered}`);
  },
  EnsureHttpStatusCodeIs200or201: status(200, 201),
  EnsureResourceStatusCodeIs400or401: status(400, 401),
  CheckForDateHeaderInResourceResponse: ({ resource }) =>
    void text(resource?.headers['date'], 'Date of the resource'),
  CheckTokenTypeIsDpop: ({ token_endpoint_response: { token_type } }) =>
    expect(String(token_type).toLowerCase() === 'dpop', `token_type is ${shown(token_type)}`),
  CheckTokenEndpointReturnedInvalidRequestGrantOrDPopProofError({ token }) {
    const { error } = objectOf(present(token, 'token response'));
    const codes = ['invalid_request', 'invalid_grant', 'invalid_dpop_proof'];
    expect(codes.includes(String(error)), `the error is ${shown(error)}`);
  },
} satisfies Readonly<Record<string, Check>>;
