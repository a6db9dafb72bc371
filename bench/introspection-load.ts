import assert from 'node:assert/strict';
import type { RawAnswer } from '../test/program/raw-socket.ts';
import { basic, httpSubject, requestHead, requests } from './http-subject.ts';
import type { LoadOrder } from './load.ts';
import type { Caller } from './ours.ts';
import type { Registry } from './registry.ts';
import type { Bench, Subject } from './subject.ts';

export const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

export function verifyActive({ status, body }: RawAnswer): void {
  assert.equal(status, 200, body);
  assert.equal((JSON.parse(body) as { active: unknown }).active, true);
}

/** Makes questions about these tokens, all with the same header lines. */
export function introspectionBy(
  port: number,
  headers: Readonly<Record<string, string>>,
  tokens: readonly string[],
  path = '/token/introspect',
): LoadOrder {
  const bodies = tokens.map((token) => `token=${token}`);
  return { port, head: requestHead('POST', path, { ...FORM, ...headers }), requests: requests('', bodies) };
}

export function introspectionWithBasic(
  port: number,
  { client_id, client_secret }: Caller,
  tokens: readonly string[],
  path?: string,
): LoadOrder {
  return introspectionBy(port, { authorization: basic(client_id, client_secret) }, tokens, path);
}

/** Opens introspection of one token by one client of a registry. @param beside a long answer that is read meanwhile */
export async function introspectionByOne(
  bench: Bench,
  { program: { port, pid }, clients: [caller], access_token }: Registry,
  name: string,
  beside?: LoadOrder,
): Promise<Subject> {
  assert.ok(caller !== undefined);
  const server = { name, pid, close: async () => undefined };
  const order = introspectionWithBasic(port, caller, [access_token]);
  return (await httpSubject(bench, server, order, verifyActive, beside)).subject;
}
