import assert from 'node:assert/strict';
import { type FapiClient, fapiClient, fapiKey, fapiMetadata } from '../../src/testing/fapi.ts';
import type { TestKey } from '../../src/testing/jwt.ts';
import { type Fields, formText } from '../program/code-request.ts';
import type { Answer, Attacked, HostileRequest } from './attacked-program.ts';
import { FORM_TYPE } from './introspection-requests.ts';
import { postClient } from './registry.ts';
import { answered, browserAt, CALLBACK, type Person, through } from './sign-in-world.ts';

export const KEY = fapiKey();
export const JWT: Fields = { response_mode: 'jwt' };

const seconds = (): number => Math.floor(Date.now() / 1000);

/** The settings of a program with the strictest profile. Its direct authorisation is off: those tokens cannot be bound. */
export const MESSAGE_SIGNING = {
  CHANCERY_PROFILE: 'fapi-2.0-message-signing',
  CHANCERY_DIRECT_AUTHORIZATION_TOKEN_SHA256: '',
};

export async function registeredClient(attacked: Attacked, key: TestKey = KEY): Promise<FapiClient> {
  const metadata = fapiMetadata(CALLBACK, key);
  const answer = await attacked.send(postClient(metadata, attacked.program.masterToken));
  assert.equal(answer.status, 200, answer.body);
  return clientNamed(attacked, String(answer.json['client_id']), key);
}

const clientNamed = ({ program }: Attacked, client_id: string, key: TestKey = KEY): FapiClient =>
  fapiClient({ issuer: program.issuer, callback: CALLBACK, now: seconds }, client_id, key);

export const formTo = (path: string, form: Fields, proof?: string): HostileRequest => ({
  method: 'POST',
  path,
  headers: FORM_TYPE + (proof === undefined ? '' : `DPoP: ${proof}\r\n`),
  body: formText(form),
});

/** A pushed request with a signed object, and whatever else the form has. */
export const pushRequest = (client: FapiClient, object: string, form: Fields = {}): HostileRequest =>
  formTo('/par', { ...client.credentials(), request: object, ...form });

export const tokenRequest = (
  client: FapiClient,
  form: Fields,
  proof: string | undefined = client.proof('/token'),
): HostileRequest => formTo('/token', { ...client.credentials(), ...form }, proof);

export function assertRefused(answer: Answer, error: string, what: string, words?: RegExp): void {
  const status = error === 'invalid_client' ? 401 : 400;
  assert.deepEqual([answer.status, answer.json['error']], [status, error], `${what}: ${answer.body}`);
  if (words !== undefined) assert.match(String(answer.json['error_description']), words, what);
}

/** Pushes a good request; the address that a browser takes to it. */
export async function pushedAddress(
  attacked: Attacked,
  client: FapiClient,
  change: Fields = JWT,
): Promise<string> {
  const answer = await attacked.send(pushRequest(client, client.requestObject(change)));
  assert.equal(answer.status, 201, answer.body);
  return addressOf(attacked, client.client_id, answer.json['request_uri']);
}

export const addressOf = ({ program }: Attacked, client_id: string, request_uri: unknown): string =>
  `${program.issuer}/authorize?${formText({ client_id, request_uri: String(request_uri) })}`;

/** A code that a person has granted, out of the signed response. */
export async function grantedCode(
  attacked: Attacked,
  client: FapiClient,
  person: Person,
  change: Fields = JWT,
): Promise<string> {
  const address = await pushedAddress(attacked, client, change);
  const { response = '' } = answered(await through(browserAt(attacked.program), address, person));
  return String(claimsOf(response)['code']);
}

export const claimsOf = (jwt: string): Readonly<Record<string, unknown>> =>
  JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>;
