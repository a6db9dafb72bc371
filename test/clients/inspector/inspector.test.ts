import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { newBrowser } from '../../browser/browser.ts';
import { heading, signIn } from '../../browser/sample-website.ts';
import { endedWithTests } from '../../program/children.ts';
import { developer } from '../../program/developer.ts';
import { freePort } from '../../program/free-port.ts';
import { inheritedEnvironment } from '../../program/inherited-environment.ts';
import { installClients } from '../installed.ts';
import { type NotesWorld, startNotesWorld } from '../mcp/notes-server.ts';

const INSPECTOR = join(
  import.meta.dirname,
  'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js',
);
const START_TIMEOUT_MS = 60_000;

/** The Inspector's server for its page in the browser. */
interface Inspector {
  /** The page, with the token that opens it. */
  readonly url: string;
  stop(): Promise<void>;
}

suite('the MCP Inspector in a browser, at examples/mcp-server with profile: mcp', () => {
  let world: NotesWorld;
  let inspector: Inspector;

  before(async () => {
    await installClients('test/clients/inspector');
    world = await startNotesWorld();
    inspector = await startInspector(world);
  });
  after(async () => {
    await inspector.stop();
    await world.stop();
  });

  test('it registers itself, the person signs in and allows, and its tools work', async () => {
    const browser = await newBrowser();
    const page = await browser.newPage();
    await page.goto(inspector.url);
    await page.getByText('Disconnected').waitFor();
    await page.getByRole('switch').click({ force: true });
    await signIn(page, await developer(world.program));
    await heading(page, 'Allow access?');
    const asked = await page.locator('main').innerText();
    assert.match(asked, /MCP Inspector/u);
    for (const words of ['notes:read', 'notes:write', `Access to ${world.url}`])
      assert.ok(asked.includes(words), asked);
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByText('Connected', { exact: true }).waitFor();
    assert.ok(page.url().startsWith(new URL(inspector.url).origin), page.url());

    await page.getByText('Tools', { exact: true }).first().click();
    await page.getByText('add_note').first().click();
    await page.getByRole('textbox', { name: 'text' }).fill('ink for the office');
    await page.getByRole('button', { name: 'Execute Tool' }).click();
    await page.getByText('ink for the office').waitFor();
    await browser.close();
  });
});

async function startInspector({ url, files }: NotesWorld): Promise<Inspector> {
  const child = endedWithTests(
    spawn(process.execPath, [INSPECTOR, '--web', '--transport', 'http', '--server-url', url], {
      cwd: files,
      env: {
        ...inheritedEnvironment(),
        HOME: files,
        BROWSER: 'true',
        MCP_AUTO_OPEN_ENABLED: 'false',
        MCP_INSPECTOR_SECRET_STORE: 'memory',
        CLIENT_PORT: String(await freePort()),
        MCP_SANDBOX_PORT: String(await freePort()),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
    });
  }
  const closed = once(child, 'close');
  const deadline = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    const found = /(http:\S+MCP_INSPECTOR_API_TOKEN=\S+)\s/u.exec(output)?.[1];
    if (found !== undefined) return { url: found, stop };
    if (child.exitCode !== null || Date.now() > deadline) {
      child.kill('SIGKILL');
      throw new Error(`the Inspector did not start:\n${output}`);
    }
    await sleep(50);
  }

  async function stop(): Promise<void> {
    child.kill('SIGTERM');
    await closed;
  }
}
