import { randomBytes } from 'node:crypto';
import { macJwt, signedJwt, testKey } from '../../src/testing/jwt.ts';
import type { Attacked, HostileRequest } from './attacked-program.ts';
import { FORM_TYPE } from './introspection-requests.ts';
import { type RegisteredClient, register, SERVICE } from './registry.ts';

export const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** The key of every private_key_jwt client here. */
export const KEY = testKey('ES256', 'own');

const METHODS_OF_ASSERTION = ['client_secret_jwt', 'private_key_jwt'] as const;
export type AssertionMethod = (typeof METHODS_OF_ASSERTION)[number];

/** Registers a client that authenticates with assertions; `metadata` goes over the usual one. */
export async function registerAsserting(
  attacked: Attacked,
  method: AssertionMethod,
  metadata: object = {},
): Promise<AssertingClient> {
  const client = await register(attacked, {
    ...SERVICE,
    scope: `${attacked.program.issuer}/token/introspect`,
    token_endpoint_auth_method: method,
    ...(method === 'private_key_jwt' ? { jwks: { keys: [KEY.jwk] } } : {}),
    ...metadata,
  });
  return asserting(attacked.program.issuer, method, client);
}

export interface AssertingClient extends RegisteredClient {
  readonly method: AssertionMethod;
  /** A good assertion, but for these claims and members of the header. */
  assert(claims?: object, header?: object): string;
}

/** A client that signs with its key, or with its secret as a `client_secret_jwt` client does. */
export function asserting(
  issuer: string,
  method: AssertionMethod,
  client: RegisteredClient,
): AssertingClient {
  return {
    ...client,
    method,
    assert(changes = {}, header = {}) {
      const now = Math.floor(Date.now() / 1000);
      const { client_id } = client;
      const jti = randomBytes(16).toString('hex');
      const claims = {
        iss: client_id,
        sub: client_id,
        aud: issuer,
        exp: now + 60,
        iat: now,
        jti,
        ...changes,
      };
      return method === 'private_key_jwt'
        ? signedJwt(KEY, claims, header)
        : macJwt('HS256', client.client_secret, claims, header);
    },
  };
}

/** POST /token with an assertion; members of `form` go beside it or instead of it. */
export function tokenRequest(client_assertion: string, form: object = {}): HostileRequest {
  return formAt('/token', {
    grant_type: 'client_credentials',
    ...authenticatedBy(client_assertion),
    ...form,
  });
}

export const authenticatedBy = (client_assertion: string): object => ({
  client_assertion_type: ASSERTION_TYPE,
  client_assertion,
});

/** Members that are undefined are left out. */
export function formAt(path: string, form: object): HostileRequest {
  const given = Object.entries(form).filter(([, value]) => value !== undefined);
  const body = String(new URLSearchParams(given.map(([name, value]) => [name, String(value)])));
  return { method: 'POST', path, headers: FORM_TYPE, body };
}
