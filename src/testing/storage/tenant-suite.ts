import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Storage } from '../../ports/storage.ts';
import type { StoredTenant, TenantChange } from '../../ports/tenant-store.ts';
import type { TenantId } from '../../spec/identifiers.ts';
import { type MakeEngine, onEmptyStorage, onSecondView } from './engine.ts';
import { anEvent, aTenant, EVENT, HARD_TEXTS, NOW, occurrences, TENANT, times } from './stored-examples.ts';

const CREATED = anEvent({ action: 'tenant.create', actor: 'cli' });

const create = async (storage: Storage, tenant: StoredTenant): Promise<string> =>
  await storage.tenants.create(tenant, CREATED);

const eventsOf = async (storage: Storage, id: TenantId): Promise<number> =>
  (await storage.forTenant(id).audit.page(0, 100)).length;

export function tenantContract(make: MakeEngine): void {
  creation(make);
  replacement(make);
  changesTogether(make);
  conflictsTogether(make);

  test(
    'the version grows with every change, for other views too, and with nothing else',
    onEmptyStorage(make, async ({ engine, storage, tenant }) => {
      await onSecondView(engine, async (_, elsewhere) => {
        const [one, two] = [aTenant(), aTenant({ aliases: [] })];
        const versions = [await elsewhere.tenants.version()];
        const note = async (): Promise<void> => void versions.push(await elsewhere.tenants.version());
        await create(storage, one);
        await note();
        await create(storage, two);
        await note();
        await storage.tenants.replace(one.id, 1, { ...one, disabled_at: NOW }, EVENT);
        await note();
        assert.deepEqual(
          versions,
          [...new Set(versions)].sort((a, b) => a - b),
        );
        await create(storage, one);
        await storage.tenants.replace(one.id, 1, one, EVENT);
        await tenant.audit.append(EVENT);
        assert.equal(await elsewhere.tenants.version(), versions.at(-1));
        assert.equal(await storage.tenants.version(), versions.at(-1));
      });
    }),
  );
}

function creation(make: MakeEngine): void {
  test(
    'tenants come back as they were, ordered by id, for other views too; there are none at first',
    onEmptyStorage(make, async ({ engine, storage }) => {
      assert.deepEqual(await storage.tenants.all(), []);
      const tenants = HARD_TEXTS.map((settings, index) =>
        aTenant({
          settings,
          aliases: times(index, (alias) => `https://alias${9 - alias}.${index}.example/x`),
          disabled_at: index % 2 === 0 ? null : NOW + 1,
          owner: index % 2 === 0 ? 'platform' : null,
        }),
      );
      for (const tenant of tenants) assert.equal(await create(storage, tenant), 'created');
      const ordered = tenants.toSorted((a, b) => (a.id < b.id ? -1 : 1));
      assert.deepEqual(await storage.tenants.all(), ordered);
      await onSecondView(engine, async (_, elsewhere) => {
        assert.deepEqual(await elsewhere.tenants.all(), ordered);
      });
    }),
  );

  test(
    'an id and a name are taken once, as issuer or as alias; a refusal leaves nothing behind',
    onEmptyStorage(make, async ({ storage }) => {
      const first = aTenant({ aliases: ['https://alias.example'] });
      assert.equal(await create(storage, first), 'created');
      assert.equal(await create(storage, aTenant({ id: first.id })), 'id_taken');
      const strangers = [
        aTenant({ issuer: first.issuer }),
        aTenant({ issuer: 'https://alias.example' }),
        aTenant({ aliases: ['https://free.example', first.issuer] }),
        aTenant({ aliases: ['https://alias.example'] }),
      ];
      for (const stranger of strangers) {
        assert.equal(await create(storage, stranger), 'issuer_taken');
        assert.equal(await eventsOf(storage, stranger.id), 0);
      }
      assert.deepEqual(await storage.tenants.all(), [first]);
      assert.equal(await create(storage, aTenant({ issuer: 'https://free.example' })), 'created');
    }),
  );

  test(
    'of parallel creations with one id, or with one name, one succeeds',
    onEmptyStorage(make, async ({ engine, storage }) => {
      await onSecondView(engine, async (_, elsewhere) => {
        const twins = times(10, () => aTenant({ id: TENANT }));
        const ids = await Promise.all(twins.map((one, at) => create(at % 2 ? storage : elsewhere, one)));
        assert.equal(occurrences(ids, 'created'), 1);
        assert.equal(occurrences(ids, 'id_taken'), 9);
        const namesakes = times(10, () => aTenant({ aliases: ['https://one.example'] }));
        const names = await Promise.all(
          namesakes.map((one, at) => create(at % 2 ? storage : elsewhere, one)),
        );
        assert.equal(occurrences(names, 'created'), 1);
        assert.equal((await storage.tenants.all()).length, 2);
      });
    }),
  );

  test(
    'a creation is in the audit of the tenant, and in no other',
    onEmptyStorage(make, async ({ storage, tenant }) => {
      const one = aTenant();
      await create(storage, one);
      const [event] = await storage.forTenant(one.id).audit.page(0, 10);
      assert.deepEqual(event, { ...CREATED, sequence: 1 });
      assert.deepEqual(await tenant.audit.page(0, 10), []);
    }),
  );
}

function replacement(make: MakeEngine): void {
  test(
    'a replacement changes content and version, keeps issuer and creation, and frees the names it drops',
    onEmptyStorage(make, async ({ storage }) => {
      const one = aTenant({ aliases: ['https://a.example', 'https://b.example'] });
      await create(storage, one);
      const content = {
        aliases: ['https://b.example', 'https://c.example'],
        settings: '{"x":1}',
        owner: 'platform',
        disabled_at: NOW,
      };
      assert.equal(await storage.tenants.replace(one.id, 1, content, EVENT), 'replaced');
      assert.deepEqual(await storage.tenants.all(), [{ ...one, ...content, version: 2 }]);
      assert.equal(await eventsOf(storage, one.id), 2);
      assert.equal(await create(storage, aTenant({ issuer: 'https://c.example' })), 'issuer_taken');
      assert.equal(await create(storage, aTenant({ issuer: 'https://a.example' })), 'created');
    }),
  );

  test(
    'a replacement with an old version, of a tenant that is not there, or with a name of another, changes nothing',
    onEmptyStorage(make, async ({ storage }) => {
      const [one, two] = [aTenant({ aliases: ['https://a.example'] }), aTenant()];
      await create(storage, one);
      await create(storage, two);
      const before = await storage.tenants.all();
      const content = { ...two, settings: '{"x":1}' };
      assert.equal(await storage.tenants.replace(two.id, 0, content, EVENT), 'conflict');
      assert.equal(await storage.tenants.replace('nobody' as TenantId, 1, content, EVENT), 'conflict');
      for (const taken of [one.issuer, 'https://a.example']) {
        const greedy = { ...content, aliases: [taken] };
        assert.equal(await storage.tenants.replace(two.id, 1, greedy, EVENT), 'issuer_taken');
      }
      assert.deepEqual(await storage.tenants.all(), before);
      assert.equal(await eventsOf(storage, two.id), 1);
    }),
  );

  test(
    'of parallel replacements of one version one happens',
    onEmptyStorage(make, async ({ engine, storage }) => {
      await onSecondView(engine, async (_, elsewhere) => {
        const one = aTenant();
        await create(storage, one);
        const outcomes = await Promise.all(
          times(10, (at) =>
            (at % 2 ? storage : elsewhere).tenants.replace(one.id, 1, { ...one, settings: `${at}` }, EVENT),
          ),
        );
        assert.equal(occurrences(outcomes, 'replaced'), 1);
        const [kept] = await storage.tenants.all();
        assert.equal(kept?.settings, String(outcomes.indexOf('replaced')));
        assert.equal(kept?.version, 2);
      });
    }),
  );
}

const creationOf = (tenant: StoredTenant): TenantChange => ({ kind: 'create', tenant, event: CREATED });
const changeOf = (tenant: StoredTenant, values: Partial<StoredTenant>): TenantChange => {
  const { id, version: expectedVersion } = tenant;
  return { kind: 'replace', id, expectedVersion, content: { ...tenant, ...values }, event: EVENT };
};

function changesTogether(make: MakeEngine): void {
  test(
    'changes together create and replace, each with its event; a name goes from one tenant to another',
    onEmptyStorage(make, async ({ storage }) => {
      const [one, two] = [
        aTenant({ aliases: ['https://a.example'] }),
        aTenant({ aliases: ['https://b.example'] }),
      ];
      const three = aTenant({ owner: 'platform', settings: '{"x":1}' });
      await create(storage, one);
      await create(storage, two);
      const before = await storage.tenants.version();
      const changes = [
        changeOf(one, { aliases: ['https://b.example'], owner: 'platform' }),
        changeOf(two, { aliases: ['https://a.example'], disabled_at: NOW }),
        creationOf(three),
      ];
      assert.deepEqual(await storage.tenants.changeTogether(changes), []);
      const expected = [
        { ...one, version: 2, aliases: ['https://b.example'], owner: 'platform' },
        { ...two, version: 2, aliases: ['https://a.example'], disabled_at: NOW },
        three,
      ].toSorted((a, b) => (a.id < b.id ? -1 : 1));
      assert.deepEqual(await storage.tenants.all(), expected);
      const changed = await storage.tenants.changedSince(before, await storage.tenants.version());
      assert.deepEqual(changed, { tenants: expected, gone: [] });
      assert.deepEqual(
        await Promise.all([one, two, three].map(async ({ id }) => await eventsOf(storage, id))),
        [2, 2, 1],
      );
      assert.deepEqual(await storage.tenants.changeTogether([]), []);
    }),
  );
}

function conflictsTogether(make: MakeEngine): void {
  test(
    'changes together happen all or not at all, and each conflict is named by its place',
    onEmptyStorage(make, async ({ storage }) => {
      const [one, two, gone] = [aTenant({ aliases: ['https://a.example'] }), aTenant(), aTenant()];
      for (const tenant of [one, two, gone]) await create(storage, tenant);
      await storage.tenants.beginDeletion(gone.id, 1, NOW, EVENT);
      const before = [await storage.tenants.all(), await storage.tenants.version()];
      const fresh = aTenant();
      const outcomes = await storage.tenants.changeTogether([
        creationOf(fresh),
        changeOf({ ...two, version: 7 }, {}),
        creationOf(one),
        creationOf(gone),
        changeOf(gone, {}),
        creationOf(aTenant({ aliases: [one.issuer] })),
        creationOf(aTenant({ aliases: ['https://twice.example'] })),
        creationOf(aTenant({ issuer: 'https://twice.example' })),
        creationOf(fresh),
      ]);
      assert.deepEqual(
        outcomes.map(({ index, reason }) => [index, reason]),
        [
          [1, 'conflict'],
          [2, 'id_taken'],
          [3, 'id_deleted'],
          [4, 'conflict'],
          [5, 'issuer_taken'],
          [7, 'issuer_taken'],
          [8, 'id_taken'],
        ],
      );
      const kept = [
        changeOf(one, { settings: '{"x":1}' }),
        creationOf(aTenant({ issuer: 'https://a.example' })),
      ];
      assert.deepEqual(await storage.tenants.changeTogether(kept), [{ index: 1, reason: 'issuer_taken' }]);
      assert.deepEqual([await storage.tenants.all(), await storage.tenants.version()], before);
      assert.deepEqual([await eventsOf(storage, one.id), await eventsOf(storage, fresh.id)], [1, 0]);
    }),
  );

  test(
    'of parallel batches that change one tenant, one happens, and creates its other tenants',
    onEmptyStorage(make, async ({ engine, storage }) => {
      await onSecondView(engine, async (_, elsewhere) => {
        const one = aTenant();
        await create(storage, one);
        const outcomes = await Promise.all(
          times(6, async (at) =>
            (at % 2 ? storage : elsewhere).tenants.changeTogether(
              [creationOf(aTenant()), changeOf(one, { settings: `${at}` })].toSorted(() => (at % 3) - 1),
            ),
          ),
        );
        assert.equal(outcomes.filter((conflicts) => conflicts.length === 0).length, 1);
        assert.equal((await storage.tenants.all()).length, 2);
      });
    }),
  );
}
