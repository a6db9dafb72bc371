import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { dispatch } from '../../src/cli/dispatch.ts';
import { DEFAULT_TENANT } from '../../src/spec/identifiers.ts';
import { ENCRYPTION_KEY, type Program, startProgram } from '../program/start.ts';
import { openProgramStorage, storageUrl } from '../program/storage-place.ts';
import { jsonLines, type Members } from './registry-commands.ts';

const folder = mkdtempSync(join(tmpdir(), 'chancery-webhooks-'));
const OUTBOUND = {
  CHANCERY_OUTBOUND_ALLOW_HTTP: 'true',
  CHANCERY_OUTBOUND_ALLOW_NETWORKS: '127.0.0.0/8',
  CHANCERY_OUTBOUND_PORTS: 'any',
};
const received: string[] = [];
let program: Program;
let receiver: Server;
let origin: string;
let environment: Readonly<Record<string, string>>;

before(async () => {
  receiver = createServer((request, response) => {
    received.push(request.url ?? '');
    response.writeHead(request.url === '/closed' ? 500 : 204).end();
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const address = receiver.address();
  assert.ok(typeof address === 'object' && address !== null);
  origin = `http://127.0.0.1:${address.port}`;
  program = await startProgram({ mode: 'dev', folder, environment: OUTBOUND });
  const tokenFile = join(folder, 'admin-token');
  writeFileSync(tokenFile, program.adminToken, { mode: 0o600 });
  environment = { CHANCERY_TOKEN_FILE: tokenFile };
});

after(async () => {
  await program.stop();
  receiver.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

type Run = (...words: readonly string[]) => Promise<Outcome>;

async function run(words: readonly string[], given: Readonly<Record<string, string>>): Promise<Outcome> {
  const out: string[] = [];
  const err: string[] = [];
  const code = await dispatch(words, {
    environment: given,
    print: (line) => void out.push(line),
    complain: (line) => void err.push(line),
  });
  return { code, out: out.join('\n'), err: err.join('\n') };
}

const onDatabase: Run = async (...words) =>
  await run([...words, '--mode', 'development'], {
    CHANCERY_ISSUER: program.issuer,
    CHANCERY_STORAGE_URL: await storageUrl(folder),
    CHANCERY_ENCRYPTION_KEY: ENCRYPTION_KEY,
    ...OUTBOUND,
  });
const overHttp: Run = async (...words) =>
  await run([...words, '--server', program.managementUrl], environment);

async function json(ask: Run, ...words: readonly string[]): Promise<readonly Members[]> {
  const { code, out, err } = await ask(...words, '--json');
  assert.deepEqual([code, err], [0, ''], words.join(' '));
  return jsonLines(out);
}

async function one(ask: Run, ...words: readonly string[]): Promise<Members> {
  const [only, ...more] = await json(ask, ...words);
  assert.ok(only !== undefined && more.length === 0);
  return only;
}

/** Gives a webhook two deliveries that failed for good. */
async function failedDeliveries(id: string): Promise<readonly string[]> {
  const storage = await openProgramStorage(folder);
  try {
    const { webhooks, audit } = storage.forTenant(DEFAULT_TENANT);
    const found = (await webhooks.page(undefined, 100)).find((each) => each.id === id);
    assert.ok(found !== undefined);
    const names: string[] = [];
    let from = found.position;
    assert.ok((await audit.head()) >= from);
    for (const _ of [1, 2]) {
      const delivery = { events: 1, missed: 0, created_at: 1 };
      assert.ok(await webhooks.plan(found.id, { from, to: from + 1, delivery }));
      const [taken] = await webhooks.take({ now: 1, until: 9, limit: 1 });
      assert.ok(taken !== undefined);
      await webhooks.settle(taken, { outcome: 'failed', problem: 'status 500' });
      names.push(`${from}-${from + 1}`);
      from += 1;
    }
    return names;
  } finally {
    await storage.close();
  }
}

for (const [where, ask] of [
  ['on a database', onDatabase],
  ['over HTTP', overHttp],
] as const) {
  test(`webhook commands ${where} create, change, test, rotate and delete a webhook; its secret is printed once`, async () => {
    const made = await one(ask, 'webhooks', 'create', `${origin}/open?key=hidden`, '--action', 'client');
    const id = String(made['id']);
    assert.match(String(made['secret']), /^[A-Za-z0-9]{43}$/u);
    const shown = await ask('webhooks', 'show', id);
    const listed = await ask('webhooks', 'list');
    for (const { out } of [shown, listed]) {
      assert.ok(out.includes(id), out);
      assert.ok(!out.includes(String(made['secret'])) && !out.includes('hidden'), out);
    }
    const changed = await one(ask, 'webhooks', 'update', id, '--description', 'Ours', '--all-actions');
    assert.deepEqual(
      [changed['description'], changed['actions'], changed['url']],
      ['Ours', [], `${origin}/open`],
    );
    assert.deepEqual(await one(ask, 'webhooks', 'test', id), { accepted: true, problem: null });
    assert.ok(received.includes('/open?key=hidden'), 'the change of other members keeps the query');
    const rotated = await one(ask, 'webhooks', 'rotate-secret', id);
    assert.notEqual(rotated['secret'], made['secret']);
    assert.equal((await one(ask, 'webhooks', 'disable', id))['enabled'], false);
    assert.equal((await one(ask, 'webhooks', 'enable', id, '--from-now'))['enabled'], true);
    assert.equal((await ask('webhooks', 'update', id, '--url', `${origin}/closed`)).code, 0);
    const refused = await ask('webhooks', 'test', id);
    assert.equal(refused.code, 1);
    assert.match(refused.out, /^problem +status 500$/mu);
    assert.match(refused.err, /the receiver did not accept the delivery/);
    assert.equal((await ask('webhooks', 'delete', id)).code, 0);
    assert.match((await ask('webhooks', 'show', id)).err, /there is no such webhook/);
    const actions = (await json(onDatabase, 'audit', 'list', '--action', 'webhook')).filter(({ detail }) =>
      String(detail).startsWith(id),
    );
    assert.deepEqual(
      actions.map(({ action }) => action),
      [
        'webhook.create',
        'webhook.update',
        'webhook.secret',
        'webhook.update',
        'webhook.update',
        'webhook.update',
        'webhook.delete',
      ],
    );
  });

  test(`webhook commands ${where} list failed deliveries, try one again and discard all`, async () => {
    const id = String((await one(ask, 'webhooks', 'create', `${origin}/closed`))['id']);
    // Disabled: no server attempts the deliveries meanwhile.
    const [first = ''] = await failedDeliveries(id);
    await ask('webhooks', 'disable', id);
    const failed = await json(ask, 'webhooks', 'deliveries', id);
    assert.deepEqual(
      failed.map(({ state }) => state),
      ['failed', 'failed'],
    );
    assert.match((await ask('webhooks', 'redeliver', id)).err, /DELIVERY/);
    assert.deepEqual(await one(ask, 'webhooks', 'redeliver', id, first), { deliveries: 1 });
    assert.match((await ask('webhooks', 'drop', id, first)).err, /there is no such failed delivery/);
    assert.deepEqual(await one(ask, 'webhooks', 'drop', id, '--all'), { deliveries: 1 });
    const left = await json(ask, 'webhooks', 'deliveries', id);
    assert.deepEqual(
      left.map(({ state }) => state),
      ['waiting'],
    );
  });
}

test('webhook commands refuse an address, an action and a change of nothing in the words of the API', async () => {
  for (const ask of [onDatabase, overHttp]) {
    const wrong = await ask('webhooks', 'create', 'ftp://receiver.example', '--action', 'client.made');
    assert.equal(wrong.code, 1);
    assert.match(
      wrong.err,
      /\/url must be an address that the server may call.*\/actions\/0 must be an action/,
    );
    const nothing = await ask('webhooks', 'update', 'x');
    assert.deepEqual([nothing.code, nothing.out], [2, '']);
    assert.match(nothing.err, /name at least one member to change/);
  }
});
