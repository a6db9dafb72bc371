import { digestOf } from '../keys/digest.ts';
import type { MacAlgorithm } from '../spec/jose-algorithms.ts';
import { macJwt, signedJwt, testKey } from './jwt.ts';
import { type ClientInformation, ISSUER, SERVICE, START, type TestTenant } from './tenant.ts';

const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** A client that authenticates with assertions, and what signs them. */
export interface AssertingClient extends ClientInformation {
  /** Any claims, or any payload, and members of the header. */
  sign(claims: object | string, header?: object): string;
}

export type MakeAsserting = (tenant: TestTenant, metadata?: object) => Promise<AssertingClient>;

export const KEY = testKey('ES256');

export const secretJwtClient: MakeAsserting = async (tenant, metadata = {}) => {
  const client = await tenant.register({
    ...SERVICE,
    token_endpoint_auth_method: 'client_secret_jwt',
    ...metadata,
  });
  const sign = signerWith(client.client_secret);
  return { ...client, sign };
};

export const signerWith =
  (secret: string, algorithm: MacAlgorithm = 'HS256'): AssertingClient['sign'] =>
  (claims, header) =>
    macJwt(algorithm, secret, claims, header);

export const privateKeyClient: MakeAsserting = async (tenant, metadata = {}) => {
  const client = await tenant.register({
    ...SERVICE,
    token_endpoint_auth_method: 'private_key_jwt',
    jwks: { keys: [KEY.jwk] },
    ...metadata,
  });
  return { ...client, sign: (claims, header) => signedJwt(KEY, claims, header) };
};

export const ASSERTING: Readonly<Record<string, MakeAsserting>> = {
  client_secret_jwt: secretJwtClient,
  private_key_jwt: privateKeyClient,
};

let made = 0;

/** OpenID Connect Core 1.0 §9, with a `jti` of its own each time. */
export function claimsOf(client_id: string, changes: object = {}): object {
  made += 1;
  const jti = digestOf(`assertion ${made}`);
  return { iss: client_id, sub: client_id, aud: ISSUER, exp: START + 60, iat: START, jti, ...changes };
}

/** Credentials of a request. Members of `form` are sent besides. */
export function asserted(client_assertion: string, form: object = {}): Readonly<Record<string, string>> {
  return { client_assertion_type: ASSERTION_TYPE, client_assertion, ...form };
}
