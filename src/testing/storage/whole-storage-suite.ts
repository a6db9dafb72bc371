import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StorageUnavailable } from '../../ports/storage.ts';
import type { AccessTokenKey, ClientId, Sealed } from '../../spec/identifiers.ts';
import { type MakeEngine, onEmptyStorage, onSecondView } from './engine.ts';
import {
  aClient,
  anEvent,
  aServerKey,
  aTenant,
  aToken,
  EVENT,
  LABEL,
  NOW,
  OPEN,
  TENANT,
  times,
} from './stored-examples.ts';

export function wholeStorageContract(make: MakeEngine): void {
  test(
    'text with NUL is not stored, alone or inside a record, and a look-up with NUL finds nothing',
    onEmptyStorage(make, async ({ storage, tenant }) => {
      const refused: readonly (() => Promise<unknown>)[] = [
        () => tenant.clients.create(aClient({ data: 'a\0b' }), OPEN),
        () => tenant.accessTokens.issue(aToken(undefined, { key: 'a\0b' as AccessTokenKey })),
        () => tenant.accessTokens.issueInitial(aToken(), { ...LABEL, redirect_hosts: ['a', '\0'] }, EVENT),
        () => tenant.audit.append(anEvent({ detail: '\0' })),
        () => tenant.replays.rememberOnce('client-assertion', 'owner', 'a\0b', NOW),
        () => storage.tenants.create(aTenant({ settings: '\0' }), EVENT),
      ];
      for (const write of refused)
        await assert.rejects(async () => await write(), /cannot be stored|cannot store/u);
      assert.deepEqual(await tenant.clients.page(undefined, 10), []);
      assert.deepEqual(await tenant.audit.page(0, 10), []);
      assert.deepEqual(await tenant.accessTokens.pageInitial(undefined, 10), []);
      assert.equal(await tenant.clients.find('a\0b' as ClientId), undefined);
      assert.equal(await tenant.accessTokens.find('a\0b' as AccessTokenKey), undefined);
      await tenant.accessTokens.issue(aToken());
    }),
  );

  test(
    'the remembered time never goes back, also for parallel sightings, until it is confirmed',
    onEmptyStorage(make, async ({ engine, storage }) => {
      assert.equal(await storage.time.remembered(), undefined);
      const note = { waited: 0, confirmation: 0 };
      const times = [30, 10, 50, 20];
      const answers = await Promise.all(times.map(async (at) => await storage.time.note({ at, ...note })));
      assert.equal(Math.max(...answers.map(({ latest }) => latest)), 50);
      await onSecondView(engine, async (_, second) => {
        const { latest } = await second.time.note({ at: 40, waited: 7, confirmation: 0 });
        assert.equal(latest, 50);
        assert.equal((await storage.time.remembered())?.waited, 7);
        await second.time.confirm(25);
        const stale = await storage.time.note({ at: 60, ...note });
        assert.deepEqual(
          [stale.latest, stale.waited, stale.confirmation],
          [25, 0, 1],
          'it does not know of the confirmation',
        );
        assert.equal((await storage.time.note({ at: 60, waited: 0, confirmation: 1 })).latest, 60);
        await storage.time.confirm(70);
        assert.equal((await second.time.remembered())?.confirmation, 2);
      });
    }),
  );

  test(
    'the remembered time never passes the clock of a database server',
    onEmptyStorage(make, async ({ storage }) => {
      const far = 4_000_000_000;
      const { latest, database } = await storage.time.note({ at: far, waited: 0, confirmation: 0 });
      assert.equal(latest, database === undefined ? far : Math.min(latest, database.now + 1));
      const again = await storage.time.note({ at: far, waited: 0, confirmation: 0 });
      assert.ok(database === undefined || again.latest < far);
    }),
  );

  ofItsServers(make);
}

function ofItsServers(make: MakeEngine): void {
  test(
    'the first canary wins, for parallel callers too, until it is replaced',
    onEmptyStorage(make, async ({ storage }) => {
      const offered = times(5, (index) => `canary ${index}` as Sealed);
      const kept = await Promise.all(offered.map((sealed) => storage.sealCanary(sealed)));
      assert.equal(new Set(kept).size, 1);
      assert.ok(kept[0] !== undefined && offered.includes(kept[0]));
      await storage.replaceSealCanary('resealed' as Sealed);
      assert.equal(await storage.sealCanary('another' as Sealed), 'resealed');
    }),
  );

  test(
    'the first issuer wins, for parallel callers too, until it is replaced',
    onEmptyStorage(make, async ({ storage }) => {
      const offered = times(5, (index) => `https://op${index}.example.com`);
      const kept = await Promise.all(offered.map((issuer) => storage.keepIssuer(issuer)));
      assert.equal(new Set(kept).size, 1);
      assert.ok(kept[0] !== undefined && offered.includes(kept[0]));
      await storage.replaceIssuer('https://new.example.com');
      assert.equal(await storage.keepIssuer('https://other.example.com'), 'https://new.example.com');
    }),
  );

  test(
    'a reader of the canary finds none before the first start, and then the present one at every node',
    onEmptyStorage(make, async ({ storage, engine }) => {
      assert.equal(await storage.storedCanary(), undefined);
      await storage.sealCanary('first' as Sealed);
      await onSecondView(engine, async (_, other) => await other.replaceSealCanary('second' as Sealed));
      assert.equal(await storage.storedCanary(), 'second');
    }),
  );

  test(
    'a server process records itself with its keys; each record counts a beat, until it is forgotten',
    onEmptyStorage(make, async ({ storage }) => {
      const one = { id: 'one', name: 'host:1', ring: ['aaaaaaaa', 'bbbbbbbb'] };
      const other = { id: 'other', name: 'host:2', ring: ['bbbbbbbb'] };
      await Promise.all([one, other, one].map((process) => storage.recordProcess(process)));
      await storage.recordProcess({ ...other, ring: [] });
      assert.deepEqual(await storage.processes(), [
        { ...one, beats: 2 },
        { ...other, ring: [], beats: 2 },
      ]);
      await storage.forgetProcesses(['one', 'unknown']);
      await storage.forgetProcesses([]);
      assert.deepEqual(
        (await storage.processes()).map(({ id }) => id),
        ['other'],
      );
      await storage.recordProcess(one);
      assert.deepEqual((await storage.processes())[0], { ...one, beats: 1 });
    }),
  );

  test(
    'a storage that works is ready, and a closed one is not',
    onEmptyStorage(make, async ({ engine }) => {
      const storage = await engine.open();
      await storage.ready();
      await storage.close();
      await storage.close();
      await assert.rejects(storage.ready(), StorageUnavailable);
      await assert.rejects(storage.forTenant(TENANT).accessTokens.issue(aToken()), StorageUnavailable);
    }),
  );

  restarts(make);
}

function restarts(make: MakeEngine): void {
  test(
    'everything is there after a restart',
    onEmptyStorage(make, async ({ engine, storage, tenant }) => {
      const client = aClient();
      const gone = aClient();
      const token = aToken(client);
      const initial = aToken();
      const key = aServerKey();
      await tenant.clients.create(client, OPEN);
      await tenant.clients.create(gone, OPEN);
      await tenant.clients.delete(gone, EVENT);
      await tenant.accessTokens.issue(token);
      await tenant.accessTokens.issueInitial(initial, LABEL, EVENT);
      await tenant.serverKeys.addFirst([key]);
      await storage.sealCanary('canary' as Sealed);
      await storage.close();

      await onSecondView(engine, async (after, again) => {
        assert.deepEqual(await after.clients.find(client.client_id), client);
        const reused = aClient({ client_id: gone.client_id });
        assert.equal(await after.clients.create(reused, OPEN), 'client_id_deleted');
        assert.deepEqual(await after.accessTokens.find(token.key), token);
        assert.deepEqual(await after.accessTokens.findInitial(initial.key), LABEL);
        assert.deepEqual(await after.serverKeys.all(), [key]);
        assert.equal(await again.sealCanary('other' as Sealed), 'canary');
      });
    }),
  );

  test(
    'closing waits for the writes under way, and they are durable',
    onEmptyStorage(make, async ({ engine, storage, tenant }) => {
      const tokens = times(50, () => aToken());
      const issued = Promise.all(tokens.map((token) => tenant.accessTokens.issue(token)));
      await storage.close();
      await issued;
      await onSecondView(engine, async (after) => {
        for (const token of tokens) assert.deepEqual(await after.accessTokens.find(token.key), token);
      });
    }),
  );
}
