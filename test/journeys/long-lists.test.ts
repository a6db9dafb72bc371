import assert from 'node:assert/strict';
import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { listClients } from '../../src/clients/listing/list-clients.ts';
import type { RegistryNeeds } from '../../src/clients/registry-needs.ts';
import {
  makeRegistrationToken,
  makeSecret,
  resealClients,
} from '../../src/clients/secrets/client-secrets.ts';
import type { StoredClient } from '../../src/ports/client-store.ts';
import type { Sealer } from '../../src/ports/sealer.ts';
import type { Storage } from '../../src/ports/storage.ts';
import { type ListThreads, openListThreads } from '../../src/process/client-list-threads.ts';
import { type ClientId, DEFAULT_TENANT, type Sealed, type TenantId } from '../../src/spec/identifiers.ts';
import { openSqliteStorage } from '../../src/storage/sqlite/open.ts';
import { systemRandom } from '../../src/system/random.ts';
import { sealerForTenant, sealerWith } from '../../src/system/sealer.ts';
import { aClient, anEvent } from '../../src/testing/storage/stored-examples.ts';
import { testTenant } from '../../src/testing/tenant.ts';

const ISSUER = 'https://op.example';
/** Longer than the part of a list that the main thread renders first. */
const CLIENTS = 1300;
const OLD_KEY = systemRandom.bytes(32);
const NEW_KEY = systemRandom.bytes(32);

const folder = mkdtempSync(join(tmpdir(), 'chancery-lists-'));
const path = join(folder, 'chancery.db');
const sealer = sealerForTenant(sealerWith([OLD_KEY]), DEFAULT_TENANT);
let storage: Storage;
let threads: ListThreads;
let needs: RegistryNeeds;

before(async () => {
  storage = await openSqliteStorage(path);
  threads = openThreads();
  const { clients } = storage.forTenant(DEFAULT_TENANT);
  needs = { ...(await testTenant().registry()), issuer: ISSUER, clients, sealer };
  await Promise.all([
    ...Array.from({ length: CLIENTS }, async (_, number) => await create(clientOf(number))),
    storage.forTenant('other' as TenantId).clients.create(sealed(aClient()), CONDITIONS),
  ]);
});

after(async () => {
  await threads.close();
  await storage.close();
  rmSync(folder, { recursive: true });
});

const CONDITIONS = { reuseDeletedId: true, now: 0, event: anEvent() };

const openThreads = (keys = [OLD_KEY], cores = 2, warnings: object[] = []): ListThreads => {
  const note = (members: object): void => void warnings.push(members);
  return openListThreads({ path, keys, log: { info: note, warn: note, error: note }, cores: () => cores });
};

async function create(client: StoredClient): Promise<void> {
  assert.equal(await needs.clients.create(client, CONDITIONS), 'created');
}

/** Every third client is public, every fifth has data that are hard to copy. */
const clientOf = (number: number): StoredClient =>
  sealed(
    aClient({
      client_id: `c${String(number).padStart(5, '0')}` as ClientId,
      ...(number % 5 === 0 ? { data: '{"note":"Zoë 🦊 \\u2028","n":1.0}' } : {}),
    }),
    number % 3 !== 0,
  );

function sealed(client: StoredClient, isConfidential = true): StoredClient {
  const secret = makeSecret({ ...needs, sealer }, client, { grant_types: [] } as never);
  return {
    ...client,
    ...makeRegistrationToken({ ...needs, sealer }, client),
    secrets: isConfidential ? [secret] : [],
  };
}

interface Listed {
  readonly text: string;
  /** How many pages came from the threads. */
  readonly pages: number;
  readonly failure: unknown;
}

async function listBeside(
  beside: ListThreads | undefined,
  own: Partial<RegistryNeeds> = {},
): Promise<Listed> {
  let [text, pages, failure]: [string, number, unknown] = ['', 0, undefined];
  const clientPages = beside?.forTenant(DEFAULT_TENANT);
  const counted: RegistryNeeds['clientPages'] = clientPages && {
    async *render(issuer, start) {
      for await (const page of clientPages.render(issuer, start)) {
        pages += 1;
        yield page;
      }
    },
  };
  try {
    for await (const chunk of listClients({ ...needs, ...own, clientPages: counted })) text += chunk;
  } catch (cause) {
    failure = cause;
  }
  return { text, pages, failure };
}

const idsIn = (text: string): readonly string[] =>
  (JSON.parse(text) as { client_id: string }[]).map(({ client_id }) => client_id);

test('a long list has the same bytes from the threads as from the main thread, in the order of the identifiers, without other tenants (decision 13)', async () => {
  const main = await listBeside(undefined);
  const beside = await listBeside(threads);
  assert.equal(beside.text, main.text);
  assert.ok(beside.pages >= 3, `${beside.pages} pages`);
  assert.deepEqual(
    idsIn(beside.text),
    Array.from({ length: CLIENTS }, (_, number) => clientOf(number).client_id),
  );
});

test('the threads list what was stored when the list began: a new client, a changed one, and no deleted one', async () => {
  await listBeside(threads);
  const [gone, changed, fresh] = [clientOf(1200), clientOf(1250), clientOf(90_000)];
  const stored = async ({ client_id }: StoredClient): Promise<StoredClient> =>
    (await needs.clients.find(client_id)) ?? assert.fail('no such client');
  const before = await stored(changed);
  await Promise.all([
    create(fresh),
    needs.clients.delete(await stored(gone), anEvent()),
    needs.clients.replace({ ...before, version: 2, metadata: '{"client_name":"other"}' }, 1),
  ]);
  const { text, pages } = await listBeside(threads);
  assert.ok(pages > 0);
  const listed = JSON.parse(text) as { client_id: string; client_name?: string }[];
  assert.equal(listed.at(-1)?.client_id, fresh.client_id);
  assert.equal(
    listed.some(({ client_id }) => client_id === gone.client_id),
    false,
  );
  assert.equal(listed.find(({ client_id }) => client_id === changed.client_id)?.client_name, 'other');
  await needs.clients.delete(await stored(fresh), anEvent());
  await create(gone);
});

test('a record that a thread cannot open is left out, logged and counted, and every other one is listed (C-05, H-284)', async () => {
  const [hurt, lines]: [ClientId, string[]] = [clientOf(1150).client_id, []];
  const stored = (await needs.clients.find(hurt)) ?? assert.fail('no such client');
  const broken = { ...stored, version: stored.version + 1, registration_token_sealed: 'x.y' as Sealed };
  await needs.clients.replace(broken, stored.version);
  const log = { ...needs.log, error: (members: object) => void lines.push(JSON.stringify(members)) };
  const { text, pages, failure } = await listBeside(threads, { log });
  assert.equal((failure as Error).name, 'ClientsOmitted');
  const [entries = '', sentence] = text.split('\n');
  assert.match(sentence ?? '', /^INCOMPLETE: 1 client /u);
  assert.equal(idsIn(`${entries}]`).length, CLIENTS - 1);
  assert.equal(idsIn(`${entries}]`).includes(hurt), false);
  assert.ok(pages > 0);
  assert.equal(lines.length, 1);
  assert.ok(lines[0]?.includes(hurt));
  await needs.clients.replace({ ...stored, version: broken.version + 1 }, broken.version);
});

test('while the encryption key rotates, threads with both keys open every text, and a thread with one key stops at those of the other', async () => {
  const ring: Sealer = sealerForTenant(sealerWith([NEW_KEY, OLD_KEY]), DEFAULT_TENANT);
  const some = { ...needs.clients, page: async () => await needs.clients.page(clientOf(1100).client_id, 50) };
  assert.equal(await resealClients(some, ring), 50);
  const both = openThreads([NEW_KEY, OLD_KEY]);
  const { text, pages } = await listBeside(both, { sealer: ring });
  assert.equal(idsIn(text).length, CLIENTS);
  assert.ok(pages > 0);
  await both.close();
  const old = openThreads();
  const ends: ClientId[] = [];
  for await (const { last } of old.forTenant(DEFAULT_TENANT).render(ISSUER, clientOf(1095).client_id))
    ends.push(last);
  assert.deepEqual(ends, [clientOf(1096).client_id, clientOf(1100).client_id]);
  await old.close();
});

test('on one core no thread is started', async () => {
  const alone = openThreads([OLD_KEY], 1);
  const pages: unknown[] = [];
  for await (const page of alone.forTenant(DEFAULT_TENANT).render(ISSUER, undefined)) pages.push(page);
  assert.deepEqual(pages, []);
  await alone.close();
});

test('threads that find another file in the place of the database do not list it: the main thread lists what it has open, and the log has the reason', async () => {
  const warnings: object[] = [];
  const late = openThreads([NEW_KEY, OLD_KEY], 2, warnings);
  renameSync(path, `${path}.moved`);
  try {
    const ring = sealerForTenant(sealerWith([NEW_KEY, OLD_KEY]), DEFAULT_TENANT);
    const { text, pages } = await listBeside(late, { sealer: ring });
    assert.equal(idsIn(text).length, CLIENTS);
    assert.equal(pages, 0);
  } finally {
    renameSync(`${path}.moved`, path);
    await late.close();
  }
  assert.equal(warnings.length, 1);
  assert.match(JSON.stringify(warnings), /was moved, removed or replaced while it was in use/u);
});

test('a reader that leaves a long list leaves no thread at work: they close at once', async () => {
  const left = openThreads([NEW_KEY, OLD_KEY]);
  for await (const page of left.forTenant(DEFAULT_TENANT).render(ISSUER, undefined)) {
    assert.ok(page.entries.length > 0);
    break;
  }
  await left.close();
});
