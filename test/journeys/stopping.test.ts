import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ENCRYPTION_KEY, startProgram } from '../program/start.ts';
import { chancery } from './command.ts';
import { type Launched, launch } from './launcher.ts';
import { type Production, production } from './production.ts';

let site: Production;
const started: Launched[] = [];

beforeEach(async () => {
  site = await production();
});

afterEach(async () => {
  for (const launched of started.splice(0)) {
    launched.signal('SIGKILL');
    await launched.exited;
  }
  site.remove();
});

interface Registration {
  readonly client_id: string;
  readonly client_secret: string;
}

async function serve(changes: Readonly<Record<string, string>> = {}, node?: string): Promise<Launched> {
  const environment = { ...site.environment, ...changes };
  const launched = launch(['serve'], { environment, ...(node === undefined ? {} : { node }) });
  started.push(launched);
  await launched.untilPrinted(/^chancery serves /mu);
  return launched;
}

const METADATA = { grant_types: ['client_credentials'], scope: 'https://op.example.com/token/introspect' };

async function register(url = site.url): Promise<Registration> {
  const answer = await fetch(`${url}/clients`, {
    method: 'POST',
    headers: { authorization: `Bearer ${site.masterToken}`, 'content-type': 'application/json' },
    body: JSON.stringify(METADATA),
  });
  assert.equal(answer.status, 200);
  return (await answer.json()) as Registration;
}

/** The status of an introspection that the client authenticates. */
async function authenticate({ client_id, client_secret }: Registration): Promise<number> {
  const credentials = Buffer.from(`${client_id}:${client_secret}`).toString('base64');
  const answer = await fetch(`${site.url}/token/introspect`, {
    method: 'POST',
    headers: { authorization: `Basic ${credentials}` },
    body: new URLSearchParams({ token: 'junk' }),
  });
  await answer.body?.cancel();
  return answer.status;
}

test('SIGTERM during a request: its answer is whole and durable, then the process ends with 0', async () => {
  const launched = await serve();
  const { hostname, port } = new URL(site.url);
  const body = JSON.stringify(METADATA);
  const socket = connect(Number(port), hostname);
  const answer = text(socket);
  socket.write(
    `POST /clients HTTP/1.1\r\nHost: op.example.com\r\nAuthorization: Bearer ${site.masterToken}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 10)}`,
  );
  // The server has the first part once it has answered a request that was sent later.
  await register();
  launched.signal('SIGTERM');
  await untilRefused();
  socket.write(body.slice(10));
  const [head = '', content = ''] = (await answer).split('\r\n\r\n');
  assert.match(head, /^HTTP\/1\.1 200 /u);
  assert.match(head, /^connection: close$/imu, 'the client is told not to come back on this connection');
  assert.equal(await launched.exited, 0, launched.output());

  await serve();
  assert.equal(await authenticate(JSON.parse(content) as Registration), 200);
});

test('SIGTERM at any moment of the start: the process ends with 0 once it serves, and leaves a sound database', async () => {
  const first = await startProgram({ folder: site.folder });
  first.signal('SIGTERM');
  assert.equal(await first.exited, 0, 'the moment it is ready');
  for (const wait_ms of [0, 100, 200, 300, 400, 500]) {
    const starting = launch(['serve'], { environment: site.environment });
    started.push(starting);
    await sleep(wait_ms);
    starting.signal('SIGTERM');
    const how = await starting.exited;
    const served = /^chancery serves /mu.test(starting.output());
    assert.ok(how === 0 || (how === 'SIGTERM' && !served), `${how}: ${starting.output()}`);
  }
  await serve();
  await register();
});

test('SIGTERM under load: every answer that came is whole, and every client in them is there afterwards', async () => {
  const launched = await serve();
  const acked: Registration[] = [];
  let stopping = false;
  const workers = Array.from({ length: 8 }, async () => {
    while (true) {
      try {
        acked.push(await register());
      } catch (failure) {
        if (stopping && failure instanceof TypeError) return;
        throw failure;
      }
    }
  });
  while (acked.length < 16) await sleep(5);
  stopping = true;
  launched.signal('SIGTERM');
  await Promise.all(workers);
  assert.equal(await launched.exited, 0, launched.output());
  assert.doesNotMatch(launched.output(), /"level":"error"/u);

  await serve();
  for (const registration of acked) assert.equal(await authenticate(registration), 200);
});

test('keys encryption rotate while a server with both keys runs: no request fails, and then the old key can be removed', async () => {
  const fresh = randomBytes(32).toString('hex');
  const onlyOld = { CHANCERY_ENCRYPTION_KEY: ENCRYPTION_KEY };
  const both = { CHANCERY_ENCRYPTION_KEY: `${fresh},${ENCRYPTION_KEY}` };
  const onlyNew = { CHANCERY_ENCRYPTION_KEY: fresh };
  const first = await serve(onlyOld);
  const before = await Promise.all(Array.from({ length: 120 }, async () => await register()));
  await stop(first);

  const second = await serve(both);
  const rotating = chancery(['keys', 'encryption', 'rotate'], { ...site.environment, ...both });
  const during = [];
  for (let count = 0; count < 20; count += 1) during.push(await register());
  const rotated = await rotating;
  assert.deepEqual({ how: rotated.how, stderr: rotated.stderr }, { how: 0, stderr: '' });
  assert.match(
    rotated.stdout,
    /^sealed with the first key: \d+ server keys, 120 clients, \d+ former versions of clients; /u,
  );
  for (const registration of [...before, ...during]) assert.equal(await authenticate(registration), 200);
  await stop(second);

  const refused = await chancery(['serve'], { ...site.environment, ...onlyOld });
  assert.equal(refused.how, 1);
  assert.match(refused.stderr, /^chancery serve: encryption\.key does not open [^\n]+\n$/u);

  await serve(onlyNew);
  for (const registration of [...before, ...during]) {
    assert.equal(await authenticate(registration), 200);
    assert.equal(await storedSecret(registration), registration.client_secret, 'the new key opens it');
  }
});

/** The machine's own Node, which runs `npm test`: the launcher's process stays where that is older than Node 22.15. */
const OLDER_NODE = (process.env['PATH'] ?? '')
  .split(delimiter)
  .filter((folder) => !folder.includes('node_modules'))
  .map((folder) => join(folder, 'node'))
  .find((path) => existsSync(path));

test('the launcher is killed: the server that took its place is gone with it', async () => {
  const launched = await serve();
  process.kill(launched.pid, 'SIGKILL');
  assert.equal(await launched.exited, 'SIGKILL');
  await untilRefused();
});

test('the launcher is killed where an older Node runs the server as its child: the server does not stay behind', {
  skip: OLDER_NODE === undefined && 'the machine has no Node of its own',
}, async () => {
  const launched = await serve({}, OLDER_NODE);
  process.kill(launched.pid, 'SIGKILL');
  assert.equal(await launched.exited, 'SIGKILL');
  await untilRefused();
  const again = await serve({}, OLDER_NODE);
  again.signal('SIGTERM');
  assert.equal(await again.exited, 0, 'and a signal to stop is handed on');
  await untilRefused();
});

async function stop(launched: Launched): Promise<void> {
  launched.signal('SIGTERM');
  assert.equal(await launched.exited, 0, launched.output());
}

async function storedSecret({ client_id }: Registration): Promise<string> {
  const headers = { authorization: `Bearer ${site.masterToken}` };
  const answer = await fetch(`${site.url}/clients/${client_id}`, { headers });
  return ((await answer.json()) as Registration).client_secret;
}

/** Resolves once connections are refused. Rejects after a minute. */
async function untilRefused(): Promise<void> {
  const { hostname, port } = new URL(site.url);
  for (let attempt = 0; attempt < 6000; attempt += 1) {
    if (await refuses(hostname, Number(port))) return;
    await sleep(10);
  }
  throw new Error(`${site.url} still listens`);
}

async function refuses(host: string, port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(port, host);
  socket.on('connect', () => resolve(false)).on('error', () => resolve(true));
  const refused = await promise;
  socket.destroy();
  return refused;
}
