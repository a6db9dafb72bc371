import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, suite, test } from 'node:test';
import { endedWithTests } from '../../program/children.ts';
import { freePort } from '../../program/free-port.ts';
import { inheritedEnvironment } from '../../program/inherited-environment.ts';
import { type NotesWorld, startNotesWorld } from './notes-server.ts';

const MCP_REMOTE = join(import.meta.dirname, 'node_modules/mcp-remote/dist/proxy.js');
const TIMEOUT_MS = 60_000;

/** The editor of a person. It speaks JSON-RPC to the standard input of mcp-remote. */
interface Editor {
  call(method: string, params?: object): Promise<unknown>;
  /** Returns what mcp-remote has logged. */
  readonly log: () => string;
  close(): Promise<void>;
}

suite('mcp-remote, between an editor and examples/mcp-server, with profile: mcp', () => {
  let world: NotesWorld;

  before(async () => {
    world = await startNotesWorld();
  });
  after(async () => await world.stop());

  test('registers itself, signs a person in, calls tools, and uses its token again at the next start', async () => {
    const port = await freePort();
    const first = open(port);
    await first.call('initialize', INITIALIZE);
    assert.deepEqual(await toolsOf(first), ['list_notes', 'add_note']);
    const added = await first.call('tools/call', { name: 'add_note', arguments: { text: 'ink' } });
    assert.deepEqual(added, { content: [{ type: 'text', text: 'ink' }] });
    await first.close();
    assert.match(first.log(), /\/authorize\?/u);

    const second = open(port);
    await second.call('initialize', INITIALIZE);
    assert.deepEqual(await toolsOf(second), ['list_notes', 'add_note']);
    await second.close();
    assert.doesNotMatch(second.log(), /\/authorize\?/u);
  });

  const INITIALIZE = {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'editor', version: '1.0.0' },
  };

  async function toolsOf(editor: Editor): Promise<readonly string[]> {
    const { tools } = (await editor.call('tools/list')) as { tools: readonly { name: string }[] };
    return tools.map(({ name }) => name);
  }

  function open(port: number): Editor {
    const child = endedWithTests(
      spawn(process.execPath, [MCP_REMOTE, world.url, String(port)], {
        env: {
          ...inheritedEnvironment(),
          MCP_REMOTE_CONFIG_DIR: world.files,
          // It opens the person's browser; the test visits the address that it logs.
          BROWSER: 'true',
        },
        stdio: ['pipe', 'pipe', 'pipe'],
        timeout: TIMEOUT_MS,
      }),
    );
    let log = '';
    let visited = false;
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      log += chunk;
      const address = /(http\S+\/authorize\?\S+)\s/u.exec(log)?.[1];
      if (address === undefined || visited) return;
      visited = true;
      void world.person.go(address).catch(() => child.kill());
    });
    const waiting = new Map<unknown, (answer: { result?: unknown; error?: unknown }) => void>();
    createInterface(child.stdout).on('line', (line) => {
      const message = JSON.parse(line) as { id?: unknown; result?: unknown; error?: unknown };
      waiting.get(message.id)?.(message);
    });
    const closed = once(child, 'close');
    let id = 0;
    return {
      log: () => log,
      async call(method, params = {}) {
        id += 1;
        const { promise, resolve, reject } = Promise.withResolvers<{ result?: unknown; error?: unknown }>();
        waiting.set(id, resolve);
        void closed.then(() => reject(new Error(`mcp-remote ended:\n${log}`)));
        child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
        const { result, error } = await promise;
        assert.equal(error, undefined, log);
        return result;
      },
      async close() {
        child.stdin.end();
        child.kill('SIGTERM');
        await closed;
      },
    };
  }
});
