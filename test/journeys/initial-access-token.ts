import assert from 'node:assert/strict';
import type { Program } from '../program/start.ts';

/** Requests a token for one registration from the direct authorisation endpoint, like a developer portal. */
export async function initialAccessToken(program: Program, scope: readonly string[]): Promise<string> {
  const answer = await fetch(`${program.url}/direct-authz/rest/v2`, {
    method: 'POST',
    headers: { authorization: `Bearer ${program.directToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ sub: 'alice', scope, label: 'journey' }),
  });
  const text = await answer.text();
  assert.equal(answer.status, 200, text);
  const { access_token } = JSON.parse(text) as { access_token?: unknown };
  assert.ok(typeof access_token === 'string' && access_token.length >= 43, text);
  return access_token;
}
