import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { exportJWK, exportPKCS8, generateKeyPair } from 'jose';
import { freePort } from '../../program/free-port.ts';
import { register } from '../website.ts';
import { type NotesWorld, startNotesWorld } from './notes-server.ts';
import { type Kept, keptBy, type Line, runSdkClient, type SdkClient } from './sdk.ts';

const TOOLS = { tools: ['list_notes', 'add_note'] };
const KEYS = await generateKeyPair('ES256', { extractable: true });

/** The two versions do not ask for the same scope. */
const SDKS = {
  '1': { scope: 'notes:read notes:write' },
  // SEP-2207: asks for `offline_access` where the server's metadata has it.
  '2': { scope: 'notes:read notes:write offline_access' },
} as const;

for (const [sdk, { scope }] of Object.entries(SDKS)) {
  suite(`MCP SDK ${sdk}, at examples/mcp-server with profile: mcp`, () => {
    let world: NotesWorld;

    before(async () => {
      world = await startNotesWorld();
    });
    after(async () => await world.stop());

    const client = (name: string, more: Partial<SdkClient> = {}): SdkClient => ({
      sdk: sdk as '1' | '2',
      url: world.url,
      store: join(world.files, `${name}.json`),
      person: world.person,
      ...more,
    });

    /** Signs in once, and returns the client with what it keeps. */
    async function signedIn(name: string, more: Partial<SdkClient> = {}): Promise<[SdkClient, Kept]> {
      const port = await freePort();
      const known = client(name, { port, ...more });
      const { lines } = await runSdkClient(known, 'tools');
      assert.deepEqual(lines.slice(1), [TOOLS]);
      return [known, keptBy(known)];
    }

    const asked = ({ authorise = '' }: Line | undefined = {}): URLSearchParams =>
      new URL(authorise).searchParams;

    test('a new client registers itself, signs a person in with PKCE and resource, and calls tools', async () => {
      const first = client('first');
      const { lines } = await runSdkClient(first, 'tools', 'call add_note ink', 'call list_notes');
      const [authorisation, ...acts] = lines;
      const request = asked(authorisation);
      assert.equal(request.get('code_challenge_method'), 'S256');
      assert.equal(request.get('resource'), world.url);
      assert.equal(request.get('scope'), scope);
      assert.deepEqual(acts, [
        TOOLS,
        { called: 'add_note', text: 'ink' },
        { called: 'list_notes', text: 'ink' },
      ]);
      const { client: registered, tokens } = keptBy(first);
      assert.equal(registered?.scope, scope);
      assert.equal(tokens?.scope, scope);
      assert.match(tokens?.refresh_token ?? '', /./u);
    });

    test('a second start uses what the client kept, and needs no person', async () => {
      const [known, before] = await signedIn('second');
      const { lines } = await runSdkClient(known, 'tools');
      assert.deepEqual(lines, [TOOLS]);
      assert.deepEqual(keptBy(known), before);
    });

    test('a client whose access token is over refreshes it, and goes on (RFC 6749 §6)', async () => {
      const [known, { tokens }] = await signedIn('refreshing');
      const { lines } = await runSdkClient(known, 'lose-access-token', 'call list_notes');
      assert.deepEqual(
        lines.map(({ called, authorise }) => called ?? authorise),
        ['list_notes'],
      );
      const now = keptBy(known).tokens;
      assert.notEqual(now?.access_token, tokens?.access_token);
      assert.notEqual(
        now?.refresh_token,
        tokens?.refresh_token,
        'the refresh token of a public client rotates',
      );
    });

    test('a client that the server no longer knows registers again, and signs the person in', async () => {
      const [known, { client: registered }] = await signedIn('idle');
      const ended = await fetch(`${world.program.url}/clients/${registered?.client_id}`, {
        method: 'DELETE',
        headers: { authorization: `Bearer ${world.program.masterToken}` },
      });
      assert.equal(ended.status, 204);
      const { lines } = await runSdkClient(known, 'tools');
      assert.deepEqual(
        lines.map((line) => Object.keys(line)[0]).filter((kind) => kind !== 'invalidated'),
        ['authorise', 'tools'],
      );
      assert.notEqual(keptBy(known).client?.client_id, registered?.client_id);
    });

    test('a client whose token has too little scope for a tool gets more after the 403, and goes on (RFC 6750 §3.1)', async () => {
      const [known, { client: registered, tokens }] = await signedIn('step-up');
      const narrowed = await fetch(`${world.program.issuer}/token`, {
        method: 'POST',
        body: new URLSearchParams({
          grant_type: 'refresh_token',
          refresh_token: tokens?.refresh_token ?? '',
          client_id: registered?.client_id ?? '',
          scope: 'notes:read',
        }),
      });
      const less = (await narrowed.json()) as { scope?: string };
      assert.equal(less.scope, 'notes:read');
      writeFileSync(known.store, JSON.stringify({ ...keptBy(known), tokens: { ...tokens, ...less } }));
      const { lines } = await runSdkClient(known, 'call list_notes', 'call add_note ink');
      assert.deepEqual(
        lines.flatMap(({ called = [] }) => called),
        ['list_notes', 'add_note'],
        JSON.stringify(lines),
      );
      assert.equal(keptBy(known).tokens?.scope, scope);
    });

    test('a person who refuses is told to the client as access_denied (RFC 6749 §4.1.2.1)', async () => {
      const { lines } = await runSdkClient(client('refused', { person: world.refusing }), 'tools');
      assert.match(lines.at(-1)?.message ?? '', /^access_denied/u);
    });

    for (const method of ['client_secret_basic', 'private_key_jwt'] as const) {
      test(`a program without a person gets a token with ${method}, and calls tools`, async () => {
        const registered = await register(world.program, {
          client_name: 'Nightly notes',
          grant_types: ['client_credentials'],
          token_endpoint_auth_method: method,
          scope: 'notes:read notes:write',
          ...(method === 'private_key_jwt' ? { jwks: { keys: [await exportJWK(KEYS.publicKey)] } } : {}),
        });
        const { client_id: clientId, client_secret: clientSecret } = registered;
        const key = { privateKey: await exportPKCS8(KEYS.privateKey), algorithm: 'ES256' };
        const credentials = {
          clientId,
          scope: 'notes:read notes:write',
          expectedIssuer: world.program.issuer,
          ...(method === 'private_key_jwt' ? key : { clientSecret }),
        };
        const { lines } = await runSdkClient(client(method, { credentials }), 'tools', 'call add_note ink');
        assert.deepEqual(lines, [TOOLS, { called: 'add_note', text: 'ink' }]);
      });
    }
  });
}
