import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { type ResourceServer, resourceServer } from '../../src/resource-server/resource-server.ts';
import { listeningPort } from '../../src/testing/listening-port.ts';
import { emitResourceServer } from '../../tools/build/client.ts';
import { installClients } from '../clients/installed.ts';
import { REPOSITORY } from '../journeys/launcher.ts';
import { endedWithTests } from '../program/children.ts';
import { freePort } from '../program/free-port.ts';
import { type Program, startProgram } from '../program/start.ts';
import { type Caller, registerCaller } from './callers.ts';

/** The check of access tokens in real frameworks, beside a real server. */
const AUDIENCE = 'https://api.example.com';
const EXAMPLE = join(REPOSITORY, 'examples/resource-server');

type Frameworks = Readonly<Record<string, (api: ResourceServer) => Server | Promise<Server>>>;

const files = mkdtempSync(join(tmpdir(), 'chancery-resource-server-'));
const servers: Server[] = [];
const origins: string[] = [];
let program: Program;
let caller: Caller;
let credentials: { readonly client_id: string; readonly client_secret: string };
let api: ResourceServer;

async function register(): Promise<typeof credentials> {
  const answer = await fetch(`${program.url}/clients`, {
    method: 'POST',
    headers: { authorization: `Bearer ${program.masterToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      grant_types: ['client_credentials'],
      scope: `${program.issuer}/token/introspect`,
    }),
  });
  const words = await answer.text();
  assert.equal(answer.status, 200, words);
  return JSON.parse(words) as typeof credentials;
}

before(async () => {
  await installClients('examples');
  program = await startProgram({ mode: 'dev' });
  caller = await registerCaller(program, 'client-self-contained.json');
  credentials = await register();
  api = resourceServer({ issuer: program.issuer, audience: AUDIENCE, credentials, staleness: 3 });
  const frameworks = (await import(pathToFileURL(join(EXAMPLE, 'frameworks.mjs')).href)) as Frameworks;
  for (const start of Object.values(frameworks)) {
    const server = await start(api);
    servers.push(server);
    origins.push(`http://127.0.0.1:${await listeningPort(server.listen(0, '127.0.0.1'))}`);
  }
  while (!api.isLive()) await sleep(10);
});

after(async () => {
  api.close();
  for (const server of servers) server.close();
  await program.stop();
  rmSync(files, { recursive: true });
});

const ask = async (origin: string, token?: string): Promise<Response> =>
  await fetch(
    `${origin}/orders`,
    token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } },
  );
/** The answers of all frameworks. */
const statuses = async (token: string): Promise<readonly number[]> =>
  await Promise.all(origins.map(async (origin) => (await ask(origin, token)).status));
const all = (status: number): readonly number[] => origins.map(() => status);

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await sleep(10);
}

test('Express, Fastify, Hono and node:http: a token passes, a revoked one is refused, and one without scope gets 403 (RFC 6750 §3.1)', async () => {
  assert.equal(origins.length, 4);
  for (const origin of origins) {
    const refused = await ask(origin);
    assert.deepEqual([refused.status, await refused.text()], [401, '']);
    assert.match(refused.headers.get('www-authenticate') ?? '', /^Bearer scope="orders:read", DPoP /u);
  }
  const [token, writing] = [
    await caller.token('orders:read', AUDIENCE),
    await caller.token('orders:write', AUDIENCE),
  ];
  for (const origin of origins) {
    const answer = await ask(origin, token);
    assert.equal(answer.status, 200);
    assert.equal(typeof ((await answer.json()) as { readonly for: unknown }).for, 'string');
  }
  assert.deepEqual(await statuses(writing), all(403));
  await caller.revoke(token);
  await until(async () => (await statuses(token)).every((status) => status === 401));
  assert.deepEqual(await statuses(await caller.token('orders:read', AUDIENCE)), all(200));
  assert.deepEqual(await statuses(await caller.token('orders:read', 'https://other.example')), all(401));
});

test('examples/resource-server: the API of its README runs on the package, and refuses a revoked token', async () => {
  const folder = join(files, 'built');
  await emitResourceServer(folder);
  const source = readFileSync(join(EXAMPLE, 'orders-api.mjs'), 'utf8');
  assert.ok(source.includes('../../dist/resource-server/'));
  const script = join(files, 'orders-api.mjs');
  writeFileSync(script, source.replace('../../dist/resource-server/', `${pathToFileURL(folder).href}/`));
  const file = join(files, 'credentials.json');
  writeFileSync(file, JSON.stringify(credentials));
  const port = await freePort();
  const words = [script, '--credentials', file, '--issuer', program.issuer, '--port', String(port)];
  const child = endedWithTests(spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] }));
  await once(child.stdout, 'data');
  const origin = `http://127.0.0.1:${port}`;
  const token = await caller.token('orders:read orders:write', origin);
  assert.deepEqual(await (await ask(origin, token)).json(), [{ id: 1, item: 'sealing wax' }]);
  await caller.revoke(token);
  await until(async () => (await ask(origin, token)).status === 401);
  const refused = await ask(origin);
  assert.match(
    refused.headers.get('www-authenticate') ?? '',
    /resource_metadata="[^"]+\/oauth-protected-resource"/u,
  );
  child.kill('SIGTERM');
  assert.deepEqual(await once(child, 'exit'), [0, null]);
});

test('while the server is gone, a known token is accepted until the last word is staleness seconds old, and then 503', async () => {
  const token = await caller.token('orders:read', AUDIENCE);
  assert.deepEqual(await statuses(token), all(200));
  await program.stop();
  await until(async () => (await statuses(token)).every((status) => status === 503));
});
