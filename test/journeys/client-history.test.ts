import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { one, registryCommands } from './registry-commands.ts';

const folder = mkdtempSync(join(tmpdir(), 'chancery-history-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const registry = registryCommands(folder);

function fileWith(client_name: string): string {
  const file = join(folder, 'client.json');
  writeFileSync(file, JSON.stringify({ client_name, redirect_uris: ['https://shop.example/cb'] }));
  return file;
}

test('clients versions, diff and restore: an operator sees who changed what and why, and takes it back', async () => {
  const { client_id } = await one(registry.json('clients', 'create', fileWith('Shop')));
  const id = String(client_id);
  await registry.run('clients', 'update', id, fileWith('Shop 2'), '--reason', 'a new\u001b[2J name');
  const lines = (await registry.run('clients', 'versions', id)).split('\n');
  assert.match(lines[1] ?? '', /^2 \(now\) +\S+Z +client\.update +cli +a new\\u\{1b\}\[2J name$/u);
  assert.match(lines[2] ?? '', /^1 +\S+Z +client\.create +cli$/u);
  const shown = await registry.run('clients', 'diff', id);
  assert.match(shown, /^~ \/metadata\/client_name: "Shop" -> "Shop 2"$/mu);
  const { from, to, changes } = await one(registry.json('clients', 'diff', id, '2', '1'));
  assert.deepEqual(
    [from, to, (changes as readonly { path: string }[])[0]?.path],
    [2, 1, '/metadata/client_name'],
  );
  const restored = await registry.run('clients', 'restore', id, '--reason', 'the old name was better');
  assert.match(restored, /^client_name +Shop$/mu);
  const event = (await registry.audit()).at(-1);
  assert.deepEqual(
    [event?.action, event?.detail, event?.reason],
    ['client.restore', 'version 1', 'the old name was better'],
  );
});

test('clients deleted, restore and delete --purge: a deleted client comes back with its secret, until it is purged', async () => {
  const { client_id, client_secret } = await one(registry.json('clients', 'create', fileWith('Wiki')));
  const id = String(client_id);
  await registry.run('clients', 'delete', id, '--reason', 'the wrong one');
  const deleted = (await registry.json('clients', 'deleted')).find((each) => each['client_id'] === id);
  assert.deepEqual([deleted?.['client_name'], deleted?.['reason']], ['Wiki', 'the wrong one']);
  const back = await one(registry.json('clients', 'restore', id, '--with-secrets'));
  assert.equal(back['client_secret'], client_secret);
  assert.equal(await registry.run('clients', 'delete', id, '--purge'), `purged ${id}\n`);
  const { how, stderr } = await registry.attempt('clients', 'restore', id);
  assert.deepEqual([how, stderr], [1, `chancery clients restore: no deleted client "${id}" is kept\n`]);
});
