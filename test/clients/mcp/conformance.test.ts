import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { command } from '../../journeys/command.ts';
import { endedWithTests } from '../../program/children.ts';
import { freePort } from '../../program/free-port.ts';
import { inheritedEnvironment } from '../../program/inherited-environment.ts';
import { type NotesWorld, startNotesWorld } from './notes-server.ts';

const SUITE = join(import.meta.dirname, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
const TIMEOUT_MS = 60_000;

/** The scenarios of the suite for an authorisation server. All others are for MCP clients and MCP servers. */
const SCENARIOS = ['authorization-server-metadata-endpoint', 'authorization-code-grant'];

suite('@modelcontextprotocol/conformance, the scenarios of an authorisation server, with profile: mcp', () => {
  let world: NotesWorld;

  before(async () => {
    world = await startNotesWorld();
  });
  after(async () => await world.stop());

  test('the suite has these scenarios, and no others', async () => {
    const { stdout } = await command(process.execPath, [SUITE, 'list'], {});
    const [, own = ''] = stdout.split('Authorization server scenarios');
    assert.deepEqual(
      [...own.matchAll(/^ {2}- (\S+)/gmu)].map(([, name]) => name),
      SCENARIOS,
    );
  });

  // A client with a secret is left out: the suite sends no secret to a server that also knows public clients.
  test('every scenario passes for a public client that registered itself, and neither registers nor asks for scope (decision 43)', async () => {
    const port = await freePort();
    const registered = await fetch(`${world.program.issuer}/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        client_name: 'Conformance',
        redirect_uris: [`http://127.0.0.1:${port}/callback`],
        token_endpoint_auth_method: 'none',
      }),
    });
    const { client_id = '' } = (await registered.json()) as Record<string, string>;
    const words = ['--url', world.program.issuer, '--client-id', client_id];
    const { how, text } = await runSuite([...words, '--resource', world.url, '--port', String(port)]);
    assert.equal(how, 0, text);
    for (const scenario of SCENARIOS)
      assert.match(text, new RegExp(`✓ ${scenario}: \\d passed, 0 failed`, 'u'));
  });

  async function runSuite(words: readonly string[]): Promise<{ how: number | null; text: string }> {
    const child = endedWithTests(
      spawn(process.execPath, [SUITE, 'authorization', ...words], {
        env: inheritedEnvironment(),
        stdio: ['ignore', 'pipe', 'pipe'],
        timeout: TIMEOUT_MS,
      }),
    );
    let text = '';
    let visited = false;
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
        const address = /^(http\S+\/authorize\?\S+)\n/mu.exec(text)?.[1];
        if (address === undefined || visited || !text.includes('Callback server started')) return;
        visited = true;
        void world.person.go(address).catch(() => child.kill());
      });
    }
    const [how] = (await once(child, 'close')) as [number | null];
    return { how, text };
  }
});
