import assert from 'node:assert/strict';
import type { Program } from '../program/start.ts';

/** A request as the conformance tests write it; the address is below the issuer. */
export interface Call {
  readonly method: string;
  readonly path: string;
  readonly bearer?: string;
  readonly basic?: readonly [id: string, secret: string];
  readonly json?: unknown;
  readonly form?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Empty where there is no JSON object. */
  readonly json: Readonly<Record<string, unknown>>;
}

/** RFC 7592 §3, with the members of the tests' clients. */
export interface Registration {
  readonly client_id: string;
  readonly client_secret: string;
  readonly registration_access_token: string;
  readonly registration_client_uri: string;
  readonly members: Readonly<Record<string, unknown>>;
}

export const CALLBACK = 'https://client.example/callback';
export const WEB_CLIENT = { redirect_uris: [CALLBACK] };
export const SERVICE = { grant_types: ['client_credentials'], scope: 'read write' };

export async function call(program: Program, request: Call): Promise<Answer> {
  const { method, path, json, form } = request;
  const body = json === undefined ? form && new URLSearchParams(form).toString() : JSON.stringify(json);
  const answer = await fetch(program.url + path, {
    method,
    headers: headersOf(request),
    ...(body === undefined ? {} : { body }),
    redirect: 'manual',
  });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, text, json: objectOf(text) };
}

function headersOf({ bearer, basic, json, form, headers }: Call): Record<string, string> {
  const types = { 'content-type': 'application/json' };
  const forms = { 'content-type': 'application/x-www-form-urlencoded' };
  return {
    ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
    ...(basic === undefined ? {} : { authorization: `Basic ${btoa(basic.join(':'))}` }),
    ...(json === undefined ? {} : types),
    ...(form === undefined ? {} : forms),
    ...headers,
  };
}

function objectOf(text: string): Readonly<Record<string, unknown>> {
  if (!text.startsWith('{')) return {};
  return JSON.parse(text) as Record<string, unknown>;
}

/** Asks for a registration with the master token; `address` is `/register` (201) or `/clients` (200). */
export async function ask(program: Program, json: object, address = '/register'): Promise<Answer> {
  return await call(program, { method: 'POST', path: address, bearer: program.masterToken, json });
}

/** Registers a client with the master token. */
export async function register(program: Program, json: object): Promise<Registration> {
  const answer = await ask(program, json);
  assert.equal(answer.status, 201, answer.text);
  return registrationOf(answer);
}

/** The client's secret; empty for a public client. */
export function registrationOf({ json }: Answer): Registration {
  const text = (member: string): string => {
    const value = json[member];
    return typeof value === 'string' ? value : '';
  };
  return {
    client_id: text('client_id'),
    client_secret: text('client_secret'),
    registration_access_token: text('registration_access_token'),
    registration_client_uri: text('registration_client_uri'),
    members: json,
  };
}

/** Calls the client configuration endpoint where `registration_client_uri` says it is, through the proxy's way in. */
export async function manage(
  program: Program,
  client: Registration,
  method: string,
  options: Pick<Call, 'json' | 'bearer'> = {},
): Promise<Answer> {
  const { registration_client_uri: uri, registration_access_token: bearer } = client;
  assert.ok(uri.startsWith(`${program.issuer}/`), uri);
  return await call(program, { method, path: uri.slice(program.issuer.length), bearer, ...options });
}

/** RFC 7591 §3.2.2: status, content type and members of an error; §3.2.2 and RFC 6749 §5.2 its characters. */
export function assertRefused(answer: Answer, status: number, error: string): void {
  assert.equal(`${answer.status} ${String(answer.json['error'])}`, `${status} ${error}`, answer.text);
  assertJson(answer);
  assert.match(String(answer.json['error_description']), /^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/);
  assert.equal('client_id' in answer.json, false, 'an error names no client');
}

export function assertJson({ headers }: Answer): void {
  assert.match(headers.get('content-type') ?? '', /^application\/json(?:;\s*charset=utf-8)?$/i);
}

export function assertUncached({ headers }: Answer): void {
  assert.equal(headers.get('cache-control'), 'no-store');
  assert.equal(headers.get('pragma'), 'no-cache');
}

/** RFC 6750 §3 and §3.1: 401 to a token that is not valid. */
export function assertInvalidToken(answer: Answer): void {
  assertRefused(answer, 401, 'invalid_token');
  assert.match(answer.headers.get('www-authenticate') ?? '', /^Bearer error="invalid_token"/);
}
