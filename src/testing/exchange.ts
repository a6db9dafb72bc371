import assert from 'node:assert/strict';
import type { Contract, EndpointRequest, EndpointResponse } from '../endpoints/contract.ts';
import type { ClientCertificate } from '../spec/client-certificate.ts';
import { assertDescribed } from './api-description.ts';

/** A request as tests write it; everything that is absent is as an ordinary client sends it. */
export interface TestRequest {
  readonly bearer?: string;
  /** Client identifier and secret for HTTP Basic, form-encoded as RFC 6749 §2.3.1 says. */
  readonly basic?: readonly [id: string, secret: string];
  /** The header as it stands. */
  readonly authorization?: string;
  /** `{id}`, to be percent-encoded. */
  readonly id?: string;
  /** `{id}` as it stands. */
  readonly segment?: string;
  /** Each `{name}`, to be percent-encoded. */
  readonly segments?: Readonly<Record<string, string>>;
  /** Each `{name}` as it stands. */
  readonly rawSegments?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly form?: Readonly<Record<string, string>> | string;
  readonly body?: string | Uint8Array;
  /** Null: no such header. */
  readonly contentType?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  /** Without the question mark. */
  readonly query?: string;
  /** The remote address. */
  readonly from?: string;
  readonly certificate?: ClientCertificate;
}

/** A response with its body read to the end. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Values of `Set-Cookie`. */
  readonly cookies: readonly string[];
  /** Empty where the body is not a JSON object. */
  readonly json: Readonly<Record<string, unknown>>;
}

export const REQUEST_ID = 'request-1';

export function requestOf(contract: Contract, request: TestRequest): EndpointRequest {
  const headers: Record<string, string | undefined> = Object.create(null);
  const authorization = authorizationOf(request);
  if (authorization !== undefined) headers['authorization'] = authorization;
  const type = request.contentType === undefined ? DEFAULT_TYPES[contract.body] : request.contentType;
  if (type !== null && type !== undefined) headers['content-type'] = type;
  const segments = segmentsOf(request);
  return {
    method: contract.method,
    segment: segments['id'] ?? '',
    segments,
    headers: Object.assign(headers, request.headers),
    query: request.query ?? '',
    body: bodyOf(request),
    id: REQUEST_ID,
    remoteAddress: request.from ?? '192.0.2.1',
    clientCertificate: request.certificate,
  };
}

function segmentsOf({
  id,
  segment,
  segments = {},
  rawSegments = {},
}: TestRequest): Readonly<Record<string, string>> {
  const given = Object.entries(segments).map(([name, value]) => [name, encodeURIComponent(value)]);
  const own = segment ?? (id === undefined ? undefined : encodeURIComponent(id));
  return { ...(own === undefined ? {} : { id: own }), ...Object.fromEntries(given), ...rawSegments };
}

const DEFAULT_TYPES = {
  none: undefined,
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
  statement: 'application/jose',
} as const;

function authorizationOf({ authorization, bearer, basic }: TestRequest): string | undefined {
  if (bearer !== undefined) return `Bearer ${bearer}`;
  return basic === undefined ? authorization : basicAuthorization(...basic);
}

export function basicAuthorization(id: string, secret: string): string {
  return `Basic ${Buffer.from(`${formEncode(id)}:${formEncode(secret)}`).toString('base64')}`;
}

function formEncode(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1);
}

function bodyOf({ json, form, body }: TestRequest): Uint8Array {
  if (body instanceof Uint8Array) return body;
  if (body !== undefined) return Buffer.from(body);
  if (json !== undefined) return Buffer.from(JSON.stringify(json));
  return Buffer.from(typeof form === 'string' ? form : new URLSearchParams(form).toString());
}

/** Reads a response to its end, and holds it to the contract and to the API description. */
export async function received(contract: Contract, response: EndpointResponse): Promise<Answer> {
  const { status, headers } = response;
  assert.ok(contract.statuses.includes(status), `${contract.name} does not promise ${status}`);
  let body = '';
  if (typeof response.body === 'string') body = response.body;
  else if (response.body instanceof Uint8Array) body = Buffer.from(response.body).toString('latin1');
  else if (response.body !== undefined) for await (const chunk of response.body) body += chunk;
  assertDescribed(contract, { status, headers, body });
  return { status, headers, body, cookies: response.cookies ?? [], json: jsonOf(body) };
}

function jsonOf(body: string): Answer['json'] {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return {};
  }
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value))
    : {};
}

const CODE_STATUSES: Readonly<Record<string, number>> = {
  invalid_request: 400,
  invalid_client: 401,
  invalid_grant: 400,
  invalid_target: 400,
  invalid_authorization_details: 400,
  unauthorized_client: 400,
  unsupported_grant_type: 400,
  invalid_scope: 400,
  access_denied: 403,
  invalid_token: 401,
  insufficient_scope: 403,
  invalid_redirect_uri: 400,
  invalid_request_object: 400,
  invalid_dpop_proof: 400,
  invalid_client_metadata: 400,
  invalid_software_statement: 400,
  unapproved_software_statement: 400,
};

/** Interface, Errors: JSON with `error` and `error_description` and nothing else, never cached. */
export function assertError(answer: Answer, code: string, words?: RegExp): void {
  assert.equal(answer.json['error'], code, answer.body);
  assert.equal(answer.status, CODE_STATUSES[code]);
  assert.deepEqual(Object.keys(answer.json), ['error', 'error_description']);
  assert.equal(answer.headers['content-type'], 'application/json');
  assertUncached(answer);
  const description = String(answer.json['error_description']);
  // RFC 6749 §5.2: %x20-21 / %x23-5B / %x5D-7E.
  assert.match(description, /^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/);
  if (words !== undefined) assert.match(description, words);
}

/** Decision 37; decision 39 lets it have a body with 404 as well. */
export function assertFederationNotEnabled(answer: Answer, status: 400 | 404): void {
  assert.equal(answer.status, status);
  assert.equal(answer.json['error'], 'federation_not_enabled');
  assert.deepEqual(Object.keys(answer.json), ['error', 'error_description']);
  assert.equal(answer.headers['content-type'], 'application/json');
  assertUncached(answer);
}

/** Interface: `Cache-Control: no-store` and `Pragma: no-cache`. */
export function assertUncached({ headers }: Answer): void {
  assert.equal(headers['cache-control'], 'no-store');
  assert.equal(headers['pragma'], 'no-cache');
}

/** Decision 6: no credentials where they are needed: the bare challenge. */
export function assertBearerNeeded(answer: Answer, words = /^a bearer token is needed/): void {
  assertError(answer, 'invalid_token', words);
  assert.equal(answer.headers['www-authenticate'], 'Bearer');
}

/** Decision 6: credentials that belong to no client. */
export function assertInvalidToken(answer: Answer): void {
  assertError(
    answer,
    'invalid_token',
    /^the bearer token is not valid$|^the Authorization header has the scheme Basic; this endpoint needs Bearer/,
  );
  assert.equal(
    answer.headers['www-authenticate'],
    `Bearer error="invalid_token", error_description="${String(answer.json['error_description'])}"`,
  );
}

/** Decision 6: header and body name every missing scope value, in this order. */
export function assertMissingScopes(answer: Answer, scope: string): void {
  assertError(answer, 'insufficient_scope');
  const description = String(answer.json['error_description']);
  assert.ok(description.endsWith(`: ${scope}`), description);
  assert.equal(
    answer.headers['www-authenticate'],
    `Bearer error="insufficient_scope", error_description="${description}", scope="${scope}"`,
  );
}

/** Decision 39: 404 and 500 have no body. */
export function assertBodiless(answer: Answer, status: 404 | 500): void {
  assert.equal(answer.status, status);
  assert.equal(answer.body, '');
  assert.equal(answer.headers['content-type'], undefined);
  assert.equal(answer.headers['www-authenticate'], undefined);
}
