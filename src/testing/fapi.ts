import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { CODE_CHALLENGE, type Fields, VERIFIER } from '../../test/program/code-request.ts';
import { type DpopKey, dpopKey } from './dpop.ts';
import { signedJwt, type TestKey, testKey } from './jwt.ts';

const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** A client of the FAPI 2.0 profiles: it makes requests and does not send them. */
export interface FapiClient {
  readonly client_id: string;
  readonly key: TestKey;
  readonly dpop: DpopKey;
  /** Credentials for a form (OpenID Connect Core 1.0 §9). */
  credentials(claims?: object, key?: TestKey): Readonly<Record<string, string>>;
  /** The parameters of an authorisation request, without the client's credentials. */
  parameters(change?: Fields): Readonly<Record<string, string>>;
  /** A request object with these parameters (FAPI 2.0 Message Signing §5.3.2). */
  requestObject(change?: Fields, claims?: object, header?: object, key?: TestKey): string;
  /** A DPoP proof for a path below the issuer. */
  proof(path: string, more?: { readonly accessToken?: string; readonly claims?: object }): string;
  /** The form that redeems a code, without the client's credentials. */
  redemption(code: string | undefined, change?: Fields): Readonly<Record<string, string>>;
}

export interface FapiWorld {
  readonly issuer: string;
  readonly callback: string;
  /** Returns seconds since the Unix epoch. */
  readonly now: () => number;
}

/** Metadata that both profiles take, for the key of a client. */
export const fapiMetadata = (callback: string, key: TestKey): object => ({
  redirect_uris: [callback],
  grant_types: ['authorization_code', 'refresh_token'],
  token_endpoint_auth_method: 'private_key_jwt',
  dpop_bound_access_tokens: true,
  id_token_signed_response_alg: 'PS256',
  jwks: { keys: [key.jwk] },
});

/** The parameters that are given. */
function given(fields: Fields): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(fields).filter((field): field is [string, string] => field[1] !== undefined),
  );
}

export function fapiClient(
  { issuer, callback, now }: FapiWorld,
  client_id: string,
  key: TestKey,
  dpop: DpopKey = dpopKey(),
): FapiClient {
  const parameters: FapiClient['parameters'] = (change = {}) =>
    given({
      client_id,
      response_type: 'code',
      redirect_uri: callback,
      scope: 'openid',
      state: 'af0ifjsldkj',
      nonce: 'n-0S6_WzA2Mj',
      code_challenge: CODE_CHALLENGE,
      code_challenge_method: 'S256',
      ...change,
    });
  return {
    client_id,
    key,
    dpop,
    parameters,
    credentials: (claims = {}, signer = key) => ({
      client_id,
      client_assertion_type: ASSERTION_TYPE,
      client_assertion: signedJwt(signer, {
        iss: client_id,
        sub: client_id,
        aud: issuer,
        iat: now(),
        exp: now() + 60,
        jti: randomUUID(),
        ...claims,
      }),
    }),
    requestObject: (change = {}, claims = {}, header = {}, signer = key) =>
      signedJwt(
        signer,
        { ...parameters(change), iss: client_id, aud: issuer, nbf: now(), exp: now() + 300, ...claims },
        { typ: 'oauth-authz-req+jwt', ...header },
      ),
    proof: (path, more = {}) => dpop.proof({ method: 'POST', address: issuer + path, now: now(), ...more }),
    redemption: (code, change = {}) =>
      given({
        grant_type: 'authorization_code',
        code,
        redirect_uri: callback,
        code_verifier: VERIFIER,
        ...change,
      }),
  };
}

/** A key pair that both profiles accept. */
export const fapiKey = (algorithm: TestKey['algorithm'] = 'PS256', kid = 'fapi'): TestKey => {
  assert.ok(['PS256', 'ES256', 'EdDSA', 'RS256'].includes(algorithm));
  return testKey(algorithm, kid);
};
