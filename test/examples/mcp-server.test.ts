import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import * as openid from 'openid-client';
import { installClients } from '../clients/installed.ts';
import { initialAccessToken } from '../journeys/initial-access-token.ts';
import { type Program, startProgram } from '../program/start.ts';
import { BEHIND_PROXY, boundToken } from './callers.ts';
import { type StartedExample, startAsReadmeSays } from './readme.ts';

const METADATA = { grant_types: ['client_credentials'], scope: 'notes:read notes:write' };

suite('examples/mcp-server, started with the commands of its README', () => {
  let program: Program;
  let server: StartedExample;
  let client: openid.Configuration;

  before(async () => {
    await installClients('examples');
    program = await startProgram({
      mode: 'dev',
      environment: { CHANCERY_PROFILE: 'mcp', ...BEHIND_PROXY },
    });
    server = await startAsReadmeSays(program, 'mcp-server');
    client = await openid.dynamicClientRegistration(
      new URL(program.issuer),
      METADATA,
      openid.ClientSecretBasic(),
      {
        initialAccessToken: await initialAccessToken(program, ['client-reg']),
        execute: [openid.allowInsecureRequests],
      },
    );
  });
  after(async () => {
    await program.stop();
    await server.stop();
  });

  const token = async (scope: string, resource = `${server.origin}/mcp`): Promise<string> =>
    (await openid.clientCredentialsGrant(client, { scope, resource })).access_token;

  const metadata = (): string => `${server.origin}/.well-known/oauth-protected-resource/mcp`;

  async function call(accessToken: string | undefined, ...tools: readonly string[]): Promise<Response> {
    const calls = tools.map((name, id) => ({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name, arguments: { text: 'ink' } },
    }));
    return await fetch(`${server.origin}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(accessToken === undefined ? {} : { authorization: `Bearer ${accessToken}` }),
      },
      body: JSON.stringify(calls.length === 1 ? calls[0] : calls),
    });
  }

  async function assertRefused(answer: Response, status: number, error: string): Promise<void> {
    assert.equal(answer.status, status, await answer.text());
    const challenge = answer.headers.get('www-authenticate') ?? '';
    assert.ok(challenge.startsWith(`Bearer error="${error}", `), challenge);
    assert.ok(challenge.endsWith(`resource_metadata="${metadata()}"`), challenge);
  }

  test('its metadata names its address as resource, and the authorisation server (RFC 9728 §2)', async () => {
    const answer = await fetch(metadata());
    assert.deepEqual(await answer.json(), {
      resource: `${server.origin}/mcp`,
      authorization_servers: [program.issuer],
      scopes_supported: ['notes:read', 'notes:write'],
      resource_name: 'Notes',
    });
  });

  test('a call without a token, and one with an unknown token, get 401 with the address of the metadata', async () => {
    await assertRefused(await call(undefined, 'list_notes'), 401, 'invalid_token');
    await assertRefused(await call('junk', 'list_notes'), 401, 'invalid_token');
  });

  test('a tool that needs more than the token has gets 403 with the scope value, also in a batch', async () => {
    const reading = await token('notes:read');
    assert.equal((await call(reading, 'list_notes')).status, 200);
    for (const tools of [['add_note'], ['list_notes', 'add_note']]) {
      const answer = await call(reading, ...tools);
      assert.match(answer.headers.get('www-authenticate') ?? '', /scope="(notes:read )?notes:write"/u);
      await assertRefused(answer, 403, 'insufficient_scope');
    }
    assert.equal((await call(await token('notes:write'), 'add_note')).status, 200);
  });

  test('a token for another server gets 401: aud must be the address of this one (RFC 8707 §2)', async () => {
    for (const resource of ['https://mcp.example.com/mcp', server.origin, `${server.origin}/mcp/`])
      await assertRefused(
        await call(await token('notes:read', resource), 'list_notes'),
        401,
        'invalid_token',
      );
  });

  test('a token that is bound to a key of its client gets 401: the server checks no such proof (RFC 8705 §3)', async () => {
    const request = { scope: 'notes:read', resource: `${server.origin}/mcp` };
    const bound = await boundToken(program, METADATA, request);
    await assertRefused(await call(bound, 'list_notes'), 401, 'invalid_token');
  });

  test('a revoked token gets 401 at once', async () => {
    const revoked = await token('notes:read');
    assert.equal((await call(revoked, 'list_notes')).status, 200);
    await openid.tokenRevocation(client, revoked);
    await assertRefused(await call(revoked, 'list_notes'), 401, 'invalid_token');
  });

  test('while Chancery is gone, a call gets 500', async () => {
    const good = await token('notes:read');
    await program.stop();
    assert.equal((await call(good, 'list_notes')).status, 500);
  });
});
