import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { DEFAULT_TENANT } from '../../src/spec/identifiers.ts';
import { listeningPort } from '../../src/testing/listening-port.ts';
import { administration } from '../program/administration.ts';
import { type Program, startProgram } from '../program/start.ts';
import { openProgramStorage } from '../program/storage-place.ts';

/** Receivers of webhooks, and readers of streams. */
const PATIENCE_MS = 60_000;

interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

interface Verifier {
  readonly verifySignature: (
    request: { readonly method: string; readonly url: string; readonly headers: IncomingHttpHeaders },
    label: string,
    keyOf: (kid: string) => unknown,
  ) => { readonly covered: readonly string[] };
  readonly verifyDigest: (headers: IncomingHttpHeaders, body: string) => void;
}

const received: Received[] = [];
const folder = mkdtempSync(join(tmpdir(), 'chancery-events-'));
const environment = {
  CHANCERY_OUTBOUND_ALLOW_HTTP: 'true',
  CHANCERY_OUTBOUND_ALLOW_NETWORKS: '127.0.0.0/8',
  CHANCERY_OUTBOUND_PORTS: 'any',
  CHANCERY_OUTBOUND_TIMEOUT: '1s',
  CHANCERY_WEBHOOKS_DELIVERY_INTERVAL: '1s',
  CHANCERY_WEBHOOKS_RETRY_DELAY: '1s',
  CHANCERY_EVENTS_STREAMS_PER_CALLER: '3',
};
let program: Program;
let receiver: Server;
let origin: string;
/** While set, deliveries to `/held` get no answer. */
let isHolding = false;

function answer(request: IncomingMessage, response: ServerResponse, body: string): void {
  const path = request.url ?? '';
  received.push({ path, headers: request.headers, body });
  if (path === '/silent' || (path === '/held' && isHolding)) return;
  if (path === '/inside') response.writeHead(302, { location: `${origin}/secret` }).end();
  else if (path === '/endless') {
    response.writeHead(200);
    const more = (): void => {
      while (!response.destroyed && response.write('x'.repeat(65_536)));
    };
    response.on('drain', more);
    more();
  } else response.writeHead(204).end();
}

before(async () => {
  receiver = createServer((request, response) => {
    void text(request).then((body) => answer(request, response, body));
  }).listen(0, '127.0.0.1');
  const port = await listeningPort(receiver);
  origin = `http://127.0.0.1:${port}`;
  program = await startProgram({ mode: 'dev', folder, environment });
});

after(async () => {
  await program.stop();
  receiver.closeAllConnections();
  receiver.close();
  rmSync(folder, { recursive: true, force: true });
});

const ask = async (method: string, path: string, body?: object, headers = {}): Promise<Response> =>
  await administration(program, method, path, { body, headers });

async function made(path: string): Promise<string> {
  const answer = await ask('POST', '/webhooks', { url: origin + path, actions: ['initial-access-token'] });
  const words = await answer.text();
  assert.equal(answer.status, 201, words);
  return (JSON.parse(words) as { readonly id: string }).id;
}

/** An act with an event. */
async function act(label: string): Promise<void> {
  const answer = await ask('POST', '/initial-access-tokens', { label });
  assert.equal(answer.status, 201, await answer.text());
}

async function until(isTrue: () => boolean | Promise<boolean>, words: string): Promise<void> {
  const end = Date.now() + PATIENCE_MS;
  while (!(await isTrue())) {
    assert.ok(Date.now() < end, words);
    await sleep(50);
  }
}

interface Delivery {
  readonly delivery: string;
  readonly events: readonly { readonly detail: string }[];
}

const at = (path: string): readonly (Received & { readonly json: Delivery })[] =>
  received
    .filter((each) => each.path === path)
    .map((each) => ({ ...each, json: JSON.parse(each.body) as Delivery }));

test('H-550 receivers that never answer, redirect inside or answer without end: each attempt fails or ends, and another webhook is not kept waiting', async () => {
  const ids = [await made('/silent'), await made('/inside'), await made('/endless')];
  await made('/good');
  await act('first');
  await until(() => at('/good').length > 0 && at('/endless').length > 0, 'the good receiver got nothing');
  const problems: unknown[] = [];
  for (const id of ids) {
    const list = async (): Promise<readonly { readonly problem: string | null }[]> => {
      const answer = await ask('GET', `/webhooks/${id}/deliveries`);
      return ((await answer.json()) as { items: readonly { problem: string | null }[] }).items;
    };
    if (id !== ids[2])
      await until(async () => typeof (await list())[0]?.problem === 'string', 'no problem is told');
    problems.push((await list())[0]?.problem?.split(':')[0]);
  }
  assert.deepEqual(problems, ['timeout', 'status 302', undefined]);
  assert.deepEqual(at('/secret'), []);
  for (const id of ids) await ask('DELETE', `/webhooks/${id}`);
});

test('H-551 a delivery is signed: another program verifies it with the JWK set, and refuses it for another address or body (RFC 9421 §3.2)', async () => {
  const example = new URL('../../examples/webhook-receiver/message-signature.mjs', import.meta.url);
  const { verifySignature, verifyDigest } = (await import(example.href)) as Verifier;
  const [{ headers, body } = assert.fail()] = at('/good');
  const { keys } = (await (await fetch(`${program.url}/jwks.json`)).json()) as {
    readonly keys: readonly { readonly kid: string }[];
  };
  const keyOf = (kid: string): unknown => ({ jwk: keys.find((key) => key.kid === kid) });
  const message = { method: 'POST', url: `${origin}/good`, headers };
  const { covered } = verifySignature(message, 'server', keyOf);
  assert.deepEqual(covered, [
    '@method',
    '@target-uri',
    'content-digest',
    'content-type',
    'chancery-delivery',
  ]);
  verifyDigest(headers, body);
  assert.throws(() => verifyDigest(headers, `${body} `));
  const others = [
    { ...message, url: `${origin}/other` },
    { ...message, headers: { ...headers, 'chancery-delivery': 'other' } },
    { ...message, headers: { ...headers, 'content-digest': 'sha-256=:AAAA:' } },
  ];
  for (const other of others) assert.throws(() => verifySignature(other, 'server', keyOf), /wrong/);
});

test('H-552 a secret in the address of a webhook is in no answer, no event and no line of the log', async () => {
  const id = await made('/good?key=hidden-in-the-query');
  const texts = [
    await (await ask('GET', `/webhooks/${id}`)).text(),
    await (await ask('GET', '/webhooks')).text(),
    await (await ask('GET', '/audit?limit=200')).text(),
    program.output(),
  ];
  for (const words of texts) assert.ok(!words.includes('hidden-in-the-query'));
  await ask('DELETE', `/webhooks/${id}`);
  const refused = await ask('POST', '/webhooks', { url: 'https://user:pw@receiver.example/' });
  assert.equal(refused.status, 400);
});

test('H-553 a process that is killed while it delivers: the next one makes the same delivery again, and loses none', async () => {
  isHolding = true;
  await made('/held');
  await act('before the kill');
  await until(() => at('/held').length > 0, 'no delivery began');
  await act('waits');
  program.signal('SIGKILL');
  await program.exited;
  isHolding = false;
  program = await startProgram({ mode: 'dev', folder, environment });
  const labels = (): ReadonlySet<string> =>
    new Set(at('/held').flatMap(({ json }) => json.events.map(({ detail }) => detail)));
  await until(() => labels().size === 2 && at('/held').length > 2, 'events were lost');
  const [first, second] = at('/held').map(({ json }) => json.delivery);
  assert.equal(first, second);
});

test('H-556 a cursor of nothing, of another tenant or ahead of the newest event: 400; a stream is told once what a line break would forge (H-557)', async () => {
  for (const id of ['x', '99999999-AAAAAAAA', '0x1'])
    assert.equal((await ask('GET', '/events', undefined, { 'last-event-id': id })).status, 400, id);
  const stream = await ask('GET', '/events?action=initial-access-token');
  const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader() ?? assert.fail();
  const storage = await openProgramStorage(folder);
  const hostile = 'x\r\ndata: {"forged":true}\r\n\r\nid: 9';
  await storage.forTenant(DEFAULT_TENANT).audit.append({
    at: 1,
    action: 'initial-access-token.create',
    outcome: 'done',
    actor: 'cli',
    client_id: null,
    request_id: 'r',
    detail: null,
    user_agent: hostile,
  });
  await storage.close();
  let words = '';
  while (!words.includes('forged')) words += (await reader.read()).value ?? assert.fail('the stream ended');
  assert.deepEqual(words.match(/^data: /gmu)?.length, 1);
  assert.doesNotMatch(words, /\r/u);
  await reader.cancel();
});

test('H-555 a thousand streams of one caller: only as many as the settings permit, and they end when the process stops', async () => {
  const answers = await Promise.all(Array.from({ length: 60 }, async () => await ask('GET', '/events')));
  const statuses = answers.map(({ status }) => status);
  assert.deepEqual(
    [statuses.filter((each) => each === 200).length, new Set(statuses)],
    [3, new Set([200, 429])],
  );
  for (const answer of answers) if (answer.status !== 200) await answer.body?.cancel();
  const texts = answers.filter(({ status }) => status === 200).map(async (answer) => await answer.text());
  program.signal('SIGTERM');
  assert.equal(await program.exited, 0);
  for (const words of await Promise.all(texts))
    assert.match(words, /event: end\ndata: \{"reason":"server-stops"\}\n\n$/u);
});
