import assert from 'node:assert/strict';
import { type Answered, answered } from './administration.ts';
import type { Program } from './start.ts';

/** A client that manages streams of security events. */
export interface StreamClient {
  readonly client_id: string;
  readonly client_secret: string;
  readonly access_token: string;
  /** Sends a request to a node, below `/ssf`. */
  readonly send: (node: Program, method: string, path: string, body?: unknown) => Promise<Answered>;
}

/** Registers a client, and gets a token for its streams. */
export async function streamClient(
  { url, masterToken }: Program,
  { scope = 'ssf.manage', ...metadata }: { readonly scope?: string; readonly [member: string]: unknown } = {},
): Promise<StreamClient> {
  const registered = await fetch(`${url}/clients`, {
    method: 'POST',
    headers: { authorization: `Bearer ${masterToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ grant_types: ['client_credentials'], scope, ...metadata }),
  });
  const { client_id, client_secret } = (await registered.json()) as Readonly<Record<string, string>>;
  const granted = await fetch(`${url}/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope }),
  });
  const { access_token } = (await granted.json()) as Readonly<Record<string, string>>;
  assert.ok(access_token !== undefined && client_id !== undefined && client_secret !== undefined);
  return {
    client_id,
    client_secret,
    access_token,
    async send(node, method, path, body) {
      const answer = await fetch(`${node.url}/ssf${path}`, {
        method,
        headers: {
          authorization: `Bearer ${access_token}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return await answered(answer);
    },
  };
}
