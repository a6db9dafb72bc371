import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ENCRYPTION_KEY } from '../program/start.ts';
import { openProgramStorage, storageUrl } from '../program/storage-place.ts';
import { chancery, type Ended } from './command.ts';

const ISSUER = 'https://op.example.com';
const folder = mkdtempSync(join(tmpdir(), 'chancery-tenants-file-'));
after(() => rmSync(folder, { recursive: true, force: true }));

async function createFrom(lines: readonly unknown[]): Promise<Ended> {
  const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');
  const environment = {
    CHANCERY_ISSUER: ISSUER,
    CHANCERY_STORAGE_URL: await storageUrl(folder),
    CHANCERY_ENCRYPTION_KEY: ENCRYPTION_KEY,
  };
  const words = ['tenants', 'create', '--from', '-', '--mode', 'development', '--json'];
  return await chancery(words, environment, { input: Buffer.from(text) });
}

const ids = async (): Promise<readonly string[]> => {
  const storage = await openProgramStorage(folder);
  const all = await storage.tenants.all();
  await storage.close();
  return all.map(({ id }) => id);
};

const tenant = (id: string, more: object = {}): object => ({ id, issuer: `${ISSUER}/${id}`, ...more });
const MANY = Array.from({ length: 300 }, (_, index) => tenant(`t${index}`));

test('tenants create --from creates all tenants of a file, and skips those that are there when it runs again', async () => {
  const settings = { 'access-token.lifetime': 300, 'registration.allow-open-registration': true };
  const first = tenant('first', { aliases: ['https://first.example'], settings });
  assert.deepEqual(await createFrom([first, '', ...MANY.slice(0, 150)]), {
    how: 0,
    stdout: '{"created":151,"skipped":0}\n',
    stderr: '',
  });
  assert.deepEqual(await createFrom([first, ...MANY]), {
    how: 0,
    stdout: '{"created":150,"skipped":151}\n',
    stderr: '',
  });
  assert.equal((await ids()).length, 301);
});

test('tenants create --from names each mistake with its line, and then creates nothing', async () => {
  const { how, stdout, stderr } = await createFrom([
    tenant('fine'),
    '{',
    tenant('UPPER'),
    tenant('fine'),
    tenant('low', { settings: { 'access-token.lifetime': 0 } }),
    tenant('strange', { scope: 'x' }),
    tenant('hides', { issuer: `${ISSUER}/clients` }),
    tenant('taken', { issuer: `${ISSUER}/fine` }),
    tenant('t1', { issuer: `${ISSUER}/other` }),
    tenant('alias', { aliases: [`${ISSUER}/t2`] }),
    { id: 'nameless' },
  ]);
  assert.equal(how, 1);
  assert.equal(stdout, '');
  const lines = stderr.trim().split('\n');
  for (const [index, words] of [
    /line 2: is not JSON/u,
    /line 6: has the member scope; the members are id, issuer, aliases, settings/u,
    /line 11: has no issuer/u,
    /line 3: ID must have lower-case letters/u,
    /line 4: has the id of line 1/u,
    /line 5: access-token\.lifetime: must be an integer from 1 to \d+, .*found 0/u,
    /line 7: https:\/\/op\.example\.com\/clients would hide an endpoint/u,
    /line 8: https:\/\/op\.example\.com\/fine is the name of another issuer already/u,
    /line 9: there is another tenant t1 already/u,
    /line 10: https:\/\/op\.example\.com\/t2 is the name of another issuer already/u,
    /nothing was created: 10 lines have mistakes/u,
  ].entries()) {
    assert.match(lines[index] ?? '', words);
  }
  assert.equal(lines.length, 11);
  assert.equal((await ids()).includes('fine'), false);
});
