import assert from 'node:assert/strict';
import type { Answer, Attacked, HostileRequest } from './attacked-program.ts';
import { CANARY } from './attacked-program.ts';

/** The answers of the registry by their error code, which implies the status. */
export type Expected = keyof typeof STATUSES;

export const STATUSES = {
  registered: 200,
  invalid_request: 400,
  invalid_redirect_uri: 400,
  invalid_client_metadata: 400,
  invalid_token: 401,
  insufficient_scope: 403,
  too_large: 413,
} as const;

/** 401 and 403 carry a Bearer challenge; without a token it is the bare one (decision 6). */
export function assertAnswer(answer: Answer, expected: Expected, bare = false): void {
  const { status, json } = answer;
  const challenge = answer.headers['www-authenticate'];
  const seen = `${status} ${answer.body.slice(0, 300)}`;
  assert.equal(status, STATUSES[expected], seen);
  if (expected === 'registered') {
    assert.equal(typeof json['client_id'], 'string', seen);
    return;
  }
  assert.equal(json['error'], expected === 'too_large' ? 'invalid_request' : expected, seen);
  if (status === 401 && bare) assert.equal(challenge, 'Bearer');
  else if (status === 401 || status === 403)
    assert.match(challenge ?? '', new RegExp(`^Bearer error="${expected}"`));
}

export const JSON_TYPE = 'Content-Type: application/json\r\n';

/** A registration that needs no privilege. */
export const PLAIN = { redirect_uris: ['https://rp.example.com/cb'], client_name: CANARY };

/** A client of the client credentials grant with a scope. */
export const SERVICE = { grant_types: ['client_credentials'], client_name: CANARY };

export interface RegisteredClient {
  readonly client_id: string;
  readonly client_secret: string;
  readonly registration_access_token: string;
}

export function postClient(body: object | string | Uint8Array, bearer?: string): HostileRequest {
  const content = typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);
  const request = { method: 'POST', path: '/clients', headers: JSON_TYPE, body: content };
  return bearer === undefined ? request : { ...request, bearer };
}

export function putClient(id: string, body: object | string | Uint8Array, bearer: string): HostileRequest {
  return { ...postClient(body, bearer), method: 'PUT', path: clientPath(id) };
}

export function getClient(id: string, bearer: string): HostileRequest {
  return { method: 'GET', path: clientPath(id), bearer };
}

export function deleteClient(id: string, bearer: string): HostileRequest {
  return { method: 'DELETE', path: clientPath(id), bearer };
}

export function clientPath(id: string): string {
  return `/clients/${encodeURIComponent(id)}`;
}

/** Registers a client with the master token. */
export async function register(attacked: Attacked, metadata: object = PLAIN): Promise<RegisteredClient> {
  const answer = await attacked.send(postClient(metadata, attacked.program.masterToken));
  assertAnswer(answer, 'registered');
  return answer.json as unknown as RegisteredClient;
}

/** An access token of the direct authorisation endpoint; one with a `client-reg` scope is an initial access token. */
export async function authorise(
  attacked: Attacked,
  scope: string | readonly string[],
  members: object = {},
): Promise<string> {
  const body = JSON.stringify({ scope, ...members });
  const path = '/direct-authz/rest/v2';
  const bearer = attacked.program.directToken;
  const answer = await attacked.send({ method: 'POST', path, headers: JSON_TYPE, bearer, body });
  assert.equal(answer.status, 200, answer.body);
  return String(answer.json['access_token']);
}
