import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Caller } from './callers.ts';

/** Asserts an answer with a challenge that leads to the metadata of the API (RFC 6750 §3, RFC 9728 §5.1). */
export async function assertRefusal(
  answer: Response,
  status: number,
  problem: string,
  origin: string,
): Promise<void> {
  const text = await answer.text();
  assert.equal(answer.status, status, text);
  const metadata = `${origin}/.well-known/oauth-protected-resource`;
  assert.equal(answer.headers.get('www-authenticate'), `Bearer ${problem}resource_metadata="${metadata}"`);
}

const INVALID = 'error="invalid_token", ';

/** Declares the tests of refusals that every API of `examples` passes. */
export function provesItsRefusals(running: () => { readonly origin: string; readonly caller: Caller }): void {
  const get = async (authorization?: string): Promise<Response> =>
    await fetch(
      `${running().origin}/orders`,
      authorization === undefined ? {} : { headers: { authorization } },
    );

  test('a request without a token gets 401 with a challenge that names no error (RFC 6750 §3)', async () => {
    await assertRefusal(await get(), 401, '', running().origin);
  });

  test('its metadata names it, the server and the scope values (RFC 9728 §2)', async () => {
    const { origin } = running();
    const answer = await fetch(`${origin}/.well-known/oauth-protected-resource`);
    assert.match(answer.headers.get('content-type') ?? '', /^application\/json/u);
    const { authorization_servers: servers, ...metadata } = (await answer.json()) as Record<string, unknown>;
    assert.match(String(servers), /^http:\/\/127\.0\.0\.1:\d+$/u);
    assert.deepEqual(metadata, {
      resource: origin,
      scopes_supported: ['orders:read', 'orders:write'],
      bearer_methods_supported: ['header'],
    });
  });

  test('an unknown token, one of another scheme and a changed one get 401 invalid_token', async () => {
    const { origin, caller } = running();
    const token = await caller.token('orders:read', origin);
    const changed = `${token.slice(0, -2)}${token.endsWith('AA') ? 'BB' : 'AA'}`;
    for (const authorization of [
      'Bearer junk',
      'Bearer',
      `Basic ${token}`,
      `Bearer ${changed}`,
      'Bearer a b',
    ])
      await assertRefusal(await get(authorization), 401, INVALID, origin);
  });

  test('a token for another API, and one for none, get 401 invalid_token (RFC 8707 §2)', async () => {
    const { origin, caller } = running();
    for (const resource of ['https://api.example.com', `${origin}/`, undefined]) {
      const token = await caller.token('orders:read', resource);
      await assertRefusal(await get(`Bearer ${token}`), 401, INVALID, origin);
    }
  });

  test('a token that is bound to a key of its client gets 401 invalid_token: the API checks no such proof (RFC 8705 §3)', async () => {
    const { origin, caller } = running();
    const token = await caller.boundToken('orders:read', origin);
    await assertRefusal(await get(`Bearer ${token}`), 401, INVALID, origin);
  });
}
